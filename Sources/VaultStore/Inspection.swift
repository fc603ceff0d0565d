package import VaultFormat
internal import VaultSealing

/// The public structure of one file of a vault, whichever vault it is from and whether or not it is whole (spec §3 to
/// §10).
package struct Inspection: Equatable, Sendable {
  /// What a file is, by its own bytes.
  package enum Kind: String, Sendable {
    case header = "VAULT"
    case slot
    case segment
    case sealedFile = "sealed-file"
    case local
    case plan
    case unknown
  }

  /// Some bytes with a meaning.
  package struct Part: Equatable, Sendable {
    package let offset: Int
    package let byteCount: Int
    package let name: String
    package let value: Value?
  }

  /// What a part holds, where that is short.
  package enum Value: Equatable, Sendable {
    case number(UInt64)
    case numbers([UInt64])
    case bytes([UInt8])
    case text(String)
  }

  /// What a segment says to everyone; to be shown, not to be believed.
  package struct Segment: Equatable, Sendable {
    /// The first 16 bytes of the file's SHA-256, which is the name it ought to have.
    package let id: SegmentID
    /// Whether the signature is one by the signer that the segment names.
    package let signatureHolds: Bool
    package let lists: SegmentLists
  }

  /// How the content of a sealed file is cut.
  package struct Chunks: Equatable, Sendable {
    /// The digest that an index lists (spec §6.3).
    package let digest: Digest
    package let geometry: ChunkGeometry
  }

  package internal(set) var kind = Kind.unknown
  /// From the preamble; nil for a file without one.
  package internal(set) var version: UInt8?
  package internal(set) var suite: UInt8?
  package let fileByteCount: Int
  package let sha256: Digest
  /// In the order of the file, one after the other; they end where the file is damaged.
  package internal(set) var parts: [Part] = []
  package internal(set) var segment: Segment?
  package internal(set) var chunks: Chunks?
  package internal(set) var plan: CommitPlan?
  /// Whether a part was met that is not wholly in the file; none follows it.
  var isCut = false
  /// What is wrong with the file.
  package internal(set) var damage: FormatError?

  /// How many chunks of a sealed file are parts of their own; the others are one part.
  package static let listedChunks = 1_024

  /// Reads a file that a person named; a sealed file of any size in constant memory.
  /// - Throws: `system`; `sealing`, `crypto` where libcrypto fails.
  package init(path: [UInt8]) throws(StoreError) {
    let file = try InspectedFile(path: path)
    fileByteCount = file.byteCount
    sha256 = try file.sha256()
    let front = try file.front()
    do throws(StoreError) {
      try take(file, front)
    } catch {
      // What is wrong with the bytes is the answer, not an error.
      switch error {
      case .damaged(_, let cause), .sealing(.format(let cause), _): damage = cause
      default: throw error
      }
    }
  }

  private mutating func take(
    _ file: borrowing InspectedFile, _ front: [UInt8]
  ) throws(StoreError) {
    if front.starts(with: Self.localMagic) {
      kind = .local
      return addLocalParts()
    }
    if let damage = Recognition.damage(inFirst: front.span) {
      // A plan has no magic; what decodes as one is one.
      if damage == .wrongMagic, let plan = try file.plan() {
        kind = .plan
        self.plan = plan
        parts = [Part(offset: 0, byteCount: fileByteCount, name: "plan", value: nil)]
        return
      }
      throw .damaged(path: file.path, damage)
    }
    let kind = addPreamble(front)
    self.kind = kind.map(Kind.init) ?? .unknown
    switch kind {
    case .vault: try takeHeader(try file.whole(limit: Limits.vaultFileByteCount))
    case .slot: try takeSlot(try file.whole(limit: Limits.slotFileByteCount))
    case .segment: try takeSegment(try file.whole(limit: .max))
    case .sealedFile: try takeSealedFile(file, front)
    case nil:
      let field = "kind"
      throw .damaged(
        path: file.path,
        front.count > 8
          ? .valueOutOfRange(field: field, offset: 8, found: UInt64(front[8]), allowed: 1...4)
          : .truncated(field: field, offset: 8, needed: 1, available: max(0, front.count - 8)))
    }
  }

  private static let localMagic = Array("VLTLOCAL".utf8)
}

extension Inspection.Kind {
  fileprivate init(_ kind: VaultFormat.FileKind) {
    switch kind {
    case .vault: self = .header
    case .slot: self = .slot
    case .segment: self = .segment
    case .sealedFile: self = .sealedFile
    }
  }
}
