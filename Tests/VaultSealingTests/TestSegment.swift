import VaultCrypto
import VaultFormat

@testable import VaultSealing

/// Segments for tests, made with the building blocks where they have to be wrong.
enum TestSegment {
  static let vaultDigest = Digest(1, 2, 3, 4)

  /// `count` entries of notes, each with one file state and a place.
  static func notes(
    _ count: Int, path: (Int) -> String = { "folder/note \($0).md" }
  ) throws -> (lists: SegmentLists, items: [SegmentBody.Item]) {
    let entries = try (0..<count).map { index in
      try IndexEntry(
        id: .note(NoteID(high: 7, low: UInt64(index))),
        states: [.file(Digest(UInt64(index), 0, 0, 0), byteCount: 1_000)], over: [],
        placeVersion: 1, laterKeys: LaterKeys())
    }
    let items = try (0..<count).map { index in
      SegmentBody.Item(
        records: [try SealedNote.record(payload: index)],
        place: try Place(path: Array(path(index).utf8), executable: false))
    }
    return (
      try SegmentLists(parents: [], replaces: [], excuses: [], entries: entries), items
    )
  }

  static func seal(
    _ lists: SegmentLists, _ items: [SegmentBody.Item], keys: borrowing CompartmentKeys
  ) throws -> SealedSegment {
    var compressor = try ZstdCompressor(level: 3)
    return try SegmentSealing.seal(
      lists, items, keys: keys, vaultDigest: vaultDigest, salt: Salt(5, 6, 7, 8),
      nonce: Nonce(high: 9, low: 10), compressingWith: &compressor)
  }

  static func open(
    _ bytes: [UInt8], keys: borrowing CompartmentKeys
  ) throws -> SegmentBody {
    var decompressor = try ZstdDecompressor()
    let segment = try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
    return try SegmentOpening.openBox(
      of: segment, bytes.span, keys: keys, expandingWith: &decompressor)
  }

  /// A well-signed segment around any lists and any plain text of the box.
  static func craft(
    lists: [UInt8], plaintext: [UInt8], keys: borrowing CompartmentKeys,
    compartment: CompartmentID? = nil, commitment: Commitment? = nil
  ) throws -> [UInt8] {
    let salt = Salt(5, 6, 7, 8)
    let head = try SegmentHead(
      compartment: compartment ?? keys.compartmentID, salt: salt, signer: keys.signer,
      vaultDigest: vaultDigest, listsByteCount: lists.count,
      boxByteCount: plaintext.count + Limits.boxOverhead)
    let context = try SHA256.digest(head.prefix.span).bytes
    let right: Commitment = try keys.expandPublic(.segmentCommitment, context: context)
    var masked = lists
    try SegmentOpening.mask(&masked, salt: salt)
    var bytes = head.prefix + (commitment ?? right).bytes + masked
    var aead = try AEAD()
    try aead.setKey(try keys.expandKey(.segmentKey, context: context))
    bytes += try SealedBox.seal(
      plaintext.span, nonce: Nonce(high: 9, low: 10), label: Label.segment.bytes,
      context: bytes.span, with: &aead)
    return try sign(bytes, keys: keys)
  }

  /// Adds the signature that belongs to `bytes`.
  static func sign(_ bytes: [UInt8], keys: borrowing CompartmentKeys) throws -> [UInt8] {
    let message = try SegmentOpening.signedMessage(bytes.span)
    return bytes + (try keys.signingKey().sign(message.span))
  }
}
