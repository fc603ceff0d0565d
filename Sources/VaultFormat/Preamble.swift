/// What a file of a vault is; the raw value stands in its preamble (spec §3.1).
package enum FileKind: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case vault = 1
  case slot = 2
  case segment = 3
  case sealedFile = 4

  /// The kind as error messages name it.
  package var description: String {
    switch self {
    case .vault: "VAULT"
    case .slot: "slot"
    case .segment: "segment"
    case .sealedFile: "sealed file"
    }
  }
}

/// The first 16 bytes of every file of a vault (spec §3.1).
package struct Preamble: Hashable, Sendable {
  /// The kind of the file.
  package let kind: FileKind
  /// Byte count of the public map that follows, 1 to 4,096.
  package let publicMapByteCount: Int

  /// The bytes that every file begins with.
  package static let magic: [UInt8] = [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The version of the format.
  package static let version: UInt8 = 1
  /// AES-256-GCM, HKDF-SHA-512, PBKDF2-HMAC-SHA-512, SHA-256, Ed25519.
  package static let suite: UInt8 = 1

  /// Reads the preamble of a file of which `kind` is expected, with the checks in the order of
  /// spec §3.1.
  ///
  /// - Throws: recognised damage or `wrongMagic`, `wrongKind`, `newerVersion`, `newerSuite`,
  ///   `valueOutOfRange`, `truncated`.
  package init(
    parsing reader: inout ByteReader, expecting kind: FileKind
  ) throws(FormatError) {
    if let damage = Recognition.damage(inFirst: reader.unread) { throw damage }
    _ = try reader.bytes(Self.magic.count, as: "magic")
    let foundKind = try reader.integer(UInt8.self, as: "kind")
    guard foundKind == kind.rawValue else { throw .wrongKind(expected: kind, found: foundKind) }
    let versionOffset = reader.offset
    let version = try reader.integer(UInt8.self, as: "version")
    guard version > 0 else {
      throw .valueOutOfRange(field: "version", offset: versionOffset, found: 0, allowed: 1...1)
    }
    guard version == Self.version else { throw .newerVersion(found: version) }
    let suite = try reader.integer(UInt8.self, as: "suite")
    guard suite == Self.suite else { throw .newerSuite(found: suite) }
    let zeroOffset = reader.offset
    let zero = try reader.integer(UInt8.self, as: "zero")
    guard zero == 0 else {
      throw .valueOutOfRange(
        field: "zero", offset: zeroOffset, found: UInt64(zero), allowed: 0...0)
    }
    let allowed = Limits.publicMapByteCount
    let lengthOffset = reader.offset
    let length = try reader.integer(UInt32.self, as: "length")
    guard allowed.contains(Int(length)) else {
      throw .valueOutOfRange(
        field: "length", offset: lengthOffset, found: UInt64(length),
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound))
    }
    self.kind = kind
    publicMapByteCount = Int(length)
  }

  /// The preamble before a public map of `publicMapByteCount` bytes.
  ///
  /// - Throws: `wrongByteCount` if the map may not have that many.
  package init(kind: FileKind, publicMapByteCount: Int) throws(FormatError) {
    let allowed = Limits.publicMapByteCount
    guard allowed.contains(publicMapByteCount) else {
      throw .wrongByteCount(
        field: "public map", offset: Limits.preambleByteCount,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(publicMapByteCount))
    }
    self.kind = kind
    self.publicMapByteCount = publicMapByteCount
  }

  /// Appends the 16 bytes.
  package func encode(into writer: inout ByteWriter) {
    writer.append(Self.magic)
    writer.append(kind.rawValue)
    writer.append(Self.version)
    writer.append(Self.suite)
    writer.append(UInt8(0))
    writer.append(UInt32(publicMapByteCount))
  }

  /// A whole prefix: the preamble and the public map that `map` holds.
  ///
  /// - Throws: `wrongByteCount` if the map is too long.
  static func prefix(of kind: FileKind, map: CBOR.Writer) throws(FormatError) -> [UInt8] {
    let preamble = try Preamble(kind: kind, publicMapByteCount: map.bytes.count)
    var writer = ByteWriter(capacity: Limits.preambleByteCount + map.bytes.count)
    preamble.encode(into: &writer)
    writer.append(map.bytes)
    return writer.bytes
  }
}
