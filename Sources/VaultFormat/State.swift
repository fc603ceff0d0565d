/// What a note, slot or companion is at one time (spec §7.1). Ordered bytewise by the encoding, so
/// graves come first.
package enum State: Hashable, Comparable, Sendable {
  /// Deleted; the 16 bytes are random and fresh for each deletion.
  case grave(Grave)
  /// A file with this digest and this byte count.
  case file(Digest, byteCount: UInt64)

  /// The 16 bytes by which an entry supersedes the state.
  package var prefix: StatePrefix {
    switch self {
    case .grave(let grave): grave.retyped(as: StatePrefix.self)
    case .file(let digest, byteCount: _): digest.prefix
    }
  }

  /// Whether the state is a file and not a grave.
  package var isFile: Bool {
    switch self {
    case .grave: false
    case .file: true
    }
  }

  /// Reads a state.
  init(parsing reader: inout CBOR.Reader) throws(FormatError) {
    if try reader.nextType(as: "state") == .bytes {
      self = .grave(try reader.read16(as: "grave"))
    } else {
      _ = try reader.readArrayHeader(2...2, elementByteCount: 1, as: "state")
      let digest = try reader.read32(Digest.self, as: "digest")
      self = .file(digest, byteCount: try reader.readUnsigned(as: "byte count"))
    }
  }

  /// Writes the state.
  func encode(into writer: inout CBOR.Writer) {
    switch self {
    case .grave(let grave): writer.writeBytes(grave)
    case .file(let digest, let byteCount):
      writer.writeArrayHeader(2)
      writer.writeBytes(digest)
      writer.writeUnsigned(byteCount)
    }
  }

  /// The order of the encodings.
  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.grave(let left), .grave(let right)): left < right
    case (.grave, .file): true
    case (.file, .grave): false
    case (.file(let left, let leftCount), .file(let right, let rightCount)):
      (left, leftCount) < (right, rightCount)
    }
  }
}
