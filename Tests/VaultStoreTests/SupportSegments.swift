import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// Segments made by the building blocks, and the rules of compaction written down a second time (spec §7.4).
enum TestSegments {
  /// A sealed segment as a reader would have it.
  static func seal(
    _ lists: SegmentLists, _ items: [SegmentBody.Item], keys: borrowing CompartmentKeys,
    vaultDigest: Digest, random: inout some RandomNumberGenerator
  ) throws -> LiveSegment {
    var compressor = try Fresh.compressor()
    let sealed = try SegmentSealing.seal(
      lists, items, keys: keys, vaultDigest: vaultDigest,
      salt: Salt(random.next(), random.next(), random.next(), random.next()),
      nonce: Nonce(high: UInt32(truncatingIfNeeded: random.next()), low: random.next()),
      compressingWith: &compressor)
    return LiveSegment(sealed.segment, bytes: sealed.bytes)
  }

  /// A segment as a program without a check of its paths would make it; its salt and nonce are always the same.
  static func sealUnchecked(
    _ lists: SegmentLists, _ items: [SegmentBody.Item], keys: borrowing CompartmentKeys,
    vaultDigest: Digest
  ) throws -> LiveSegment {
    let body = try SegmentBody(items: items, entries: lists.entries).encoded()
    let plaintext = try SegmentBoxFrame(
      compression: .none, bodyByteCount: body.count, expandedByteCount: body.count,
      entryCount: lists.entries.count
    ).encoded(body: body)
    var masked = lists.encoded()
    let head = try SegmentHead(
      compartment: keys.compartmentID, salt: Salt(5, 6, 7, 8), signer: keys.signer,
      vaultDigest: vaultDigest, listsByteCount: masked.count,
      boxByteCount: plaintext.count + Limits.boxOverhead)
    let context = try SHA256.digest(head.prefix.span).bytes
    let commitment: Commitment = try keys.expandPublic(.segmentCommitment, context: context)
    try SegmentOpening.mask(&masked, salt: head.salt)
    var bytes = head.prefix + commitment.bytes + masked
    var aead = try AEAD()
    try aead.setKey(try keys.expandKey(.segmentKey, context: context))
    bytes += try SealedBox.seal(
      plaintext.span, nonce: Nonce(high: 9, low: 10), label: Label.segment.bytes,
      context: bytes.span, with: &aead)
    let message = try SegmentOpening.signedMessage(bytes.span)
    bytes += try keys.signingKey().sign(message.span)
    let verified = try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
    return LiveSegment(verified, bytes: bytes)
  }

  /// The items of a segment's note entries.
  static func items(
    of segment: LiveSegment, keys: borrowing CompartmentKeys
  ) throws -> [NoteID: SegmentBody.Item] {
    var decompressor = try ZstdDecompressor()
    let body = try SegmentOpening.openBox(
      of: segment.verified, segment.bytes.span, keys: keys, expandingWith: &decompressor)
    var items: [NoteID: SegmentBody.Item] = [:]
    for (entry, item) in zip(segment.lists.entries.filter(\.id.isNote), body.items) {
      if case .note(let id) = entry.id { items[id] = item }
    }
    return items
  }

  /// What one thing's entries in a subset of segments say together.
  private struct Merged {
    var states = Set<State>()
    var over = Set<StatePrefix>()
    var place: (version: UInt64, place: Place?) = (0, nil)
    var records: [State: ContentRecord] = [:]
  }

  /// Merges a subset of live segments into one: all states that are not superseded within it, every superseded one, the
  /// highest place, each content record, every excuse.
  static func compact(
    _ subset: [LiveSegment], keys secret: CompartmentSecret, vaultDigest: Digest,
    parents: [SegmentID] = [], random: inout some RandomNumberGenerator
  ) throws -> LiveSegment {
    var merged: [EntryID: Merged] = [:]
    var replaces = Set<SegmentID>()
    var excuses = Set<SegmentID>()
    for segment in subset {
      replaces.insert(segment.id)
      replaces.formUnion(segment.lists.replaces)
      excuses.formUnion(segment.lists.excuses)
      let items = try items(of: segment, keys: secret.keys)
      for entry in segment.lists.entries {
        merged[entry.id, default: Merged()].states.formUnion(entry.states)
        merged[entry.id, default: Merged()].over.formUnion(entry.over)
        guard case .note(let id) = entry.id, let item = items[id] else { continue }
        for (state, record) in zip(entry.states.filter(\.isFile), item.records) {
          merged[entry.id, default: Merged()].records[state] = record
        }
        let old = merged[entry.id, default: Merged()].place
        if let place = item.place,
          entry.placeVersion > old.version
            || entry.placeVersion == old.version && old.place.map({ $0 < place }) ?? true
        {
          merged[entry.id, default: Merged()].place = (entry.placeVersion, place)
        }
      }
    }
    var entries: [IndexEntry] = []
    var items: [SegmentBody.Item] = []
    for (id, thing) in merged.sorted(by: { $0.key < $1.key }) {
      let states = thing.states.filter { !thing.over.contains($0.prefix) }.sorted()
      entries.append(
        try IndexEntry(
          id: id, states: SmallList(states), over: SmallList(thing.over.sorted()),
          placeVersion: thing.place.version, laterKeys: LaterKeys()))
      if id.isNote {
        items.append(
          .init(
            records: SmallList(states.compactMap { thing.records[$0] }), place: thing.place.place))
      }
    }
    return try seal(
      SegmentLists(
        parents: parents, replaces: replaces.sorted(), excuses: excuses.sorted(), entries: entries),
      items, keys: secret.keys, vaultDigest: vaultDigest, random: &random)
  }
}
