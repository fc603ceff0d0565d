/// The public part of a segment: preamble and map (spec §7).
package struct SegmentHead: Hashable, Sendable {
  package let compartment: CompartmentID
  package let salt: Salt
  package let signer: SignerKey
  /// SHA-256 of the file `VAULT`.
  package let vaultDigest: Digest
  /// What a reader needs to know, strictly ascending (`checkFeatures`).
  package let features: [UInt64]
  /// Byte count of the masked lists, 5 to 134,217,728.
  package let listsByteCount: Int
  /// Byte count of the box, 220 to 536,870,912.
  package let boxByteCount: Int
  /// The compartments that this one took over from, oldest first; only a hand-over has any (spec §7.5).
  package let predecessors: [Predecessor]
  /// Keys of a later version. A segment that has any must not be compacted (spec §3.3).
  package let laterKeys: LaterKeys
  /// Preamble and public map exactly as stored.
  package let prefix: [UInt8]

  /// The feature that a hand-over needs: its reader knows key 8.
  static let handOverFeature: UInt64 = 1

  /// Whether the segment hands a compartment over, and so closes its predecessors.
  package var isHandOver: Bool { !predecessors.isEmpty }

  /// The head of a new segment, which has no later keys; a hand-over if it has predecessors.
  ///
  /// - Throws: `valueOutOfRange` for a byte count outside its bounds, `wrongItemCount` for too many
  ///   predecessors, `repeatedSigner`.
  package init(
    compartment: CompartmentID, salt: Salt, signer: SignerKey, vaultDigest: Digest,
    listsByteCount: Int, boxByteCount: Int, predecessors: [Predecessor] = []
  ) throws(FormatError) {
    try self.init(
      compartment: compartment, salt: salt, signer: signer, vaultDigest: vaultDigest,
      features: predecessors.isEmpty ? [] : [Self.handOverFeature],
      listsByteCount: listsByteCount, boxByteCount: boxByteCount, predecessors: predecessors,
      laterKeys: LaterKeys())
  }

  /// A head with all that one can have.
  ///
  /// - Throws: also `notAscending` for the features, `wrongByteCount` if the map is too long,
  ///   `tooDeep`, `mismatch` where the features do not fit the predecessors.
  init(
    compartment: CompartmentID, salt: Salt, signer: SignerKey, vaultDigest: Digest,
    features: [UInt64], listsByteCount: Int, boxByteCount: Int, predecessors: [Predecessor],
    laterKeys: LaterKeys
  ) throws(FormatError) {
    guard features.isStrictlyAscending else {
      throw .notAscending(field: "features", offset: 0)
    }
    try Self.check(listsByteCount, Self.listsBounds, as: "lists byte count")
    try Self.check(boxByteCount, Self.boxBounds, as: "box byte count")
    try laterKeys.check(atDepth: 1)
    guard predecessors.count <= Limits.predecessors.upperBound else {
      throw .wrongItemCount(
        field: "predecessors", offset: 0, allowed: Self.predecessorBounds,
        found: UInt64(predecessors.count))
    }
    guard features.contains(Self.handOverFeature) == !predecessors.isEmpty else {
      throw .mismatch(
        field: "features", offset: 0, expected: predecessors.isEmpty ? 0 : 1,
        found: predecessors.isEmpty ? 1 : 0)
    }
    try Predecessor.check(predecessors, before: signer, offset: 0)
    self.compartment = compartment
    self.salt = salt
    self.signer = signer
    self.vaultDigest = vaultDigest
    self.features = features
    self.listsByteCount = listsByteCount
    self.boxByteCount = boxByteCount
    self.predecessors = predecessors
    self.laterKeys = laterKeys
    var map = CBOR.Writer()
    map.writeMapHeader(7 + (predecessors.isEmpty ? 0 : 1) + laterKeys.count)
    map.writeUnsigned(1)
    map.writeBytes(compartment)
    map.writeUnsigned(2)
    map.writeBytes(salt)
    map.writeUnsigned(3)
    map.writeBytes(signer)
    map.writeUnsigned(4)
    map.writeBytes(vaultDigest)
    map.writeUnsigned(5)
    map.writeArrayHeader(features.count)
    for feature in features { map.writeUnsigned(feature) }
    map.writeUnsigned(6)
    map.writeUnsigned(UInt64(listsByteCount))
    map.writeUnsigned(7)
    map.writeUnsigned(UInt64(boxByteCount))
    if !predecessors.isEmpty {
      map.writeUnsigned(8)
      map.writeArrayHeader(predecessors.count)
      for predecessor in predecessors { predecessor.encode(into: &map) }
    }
    map.writeLaterKeys(laterKeys)
    prefix = try Preamble.prefix(of: .segment, map: map)
  }

  /// Reads preamble and map from the front of a segment. The commitment comes next.
  ///
  /// - Throws: what a preamble and a public map can be wrong with; `notAscending` for features.
  package init(parsing reader: inout ByteReader) throws(FormatError) {
    let fileStart = reader.offset
    let preamble = try Preamble(parsing: &reader, expecting: .segment)
    let start = reader.offset
    var map = CBOR.Reader(
      try reader.bytes(preamble.publicMapByteCount, as: "public map"), baseOffset: start)
    var keys = try map.readMapHeader(as: "segment")
    try map.requireKey(1, in: &keys, as: "compartment")
    compartment = try map.read16(as: "compartment")
    try map.requireKey(2, in: &keys, as: "salt")
    salt = try map.read32(as: "salt")
    try map.requireKey(3, in: &keys, as: "signer")
    signer = try map.read32(as: "signer")
    try map.requireKey(4, in: &keys, as: "VAULT digest")
    vaultDigest = try map.read32(as: "VAULT digest")
    try map.requireKey(5, in: &keys, as: "features")
    features = try Self.features(from: &map)
    try map.requireKey(6, in: &keys, as: "lists byte count")
    listsByteCount = Int(try map.readUnsigned(Self.listsBounds, as: "lists byte count"))
    try map.requireKey(7, in: &keys, as: "box byte count")
    boxByteCount = Int(try map.readUnsigned(Self.boxBounds, as: "box byte count"))
    predecessors = try Self.predecessors(
      from: &map, &keys, isHandOver: features.contains(Self.handOverFeature), before: signer)
    laterKeys = try map.finishMap(&keys)
    try map.finish()
    prefix = reader.bytesRead(since: fileStart)
  }

  /// Checks that this version can read the segment. Only a segment whose signature holds may be
  /// called newer, so this comes after the signature (spec §7).
  ///
  /// - Throws: `newerFeature` with the first one.
  package func checkFeatures() throws(FormatError) {
    if let feature = features.first(where: { $0 != Self.handOverFeature }) {
      throw .newerFeature(found: feature)
    }
  }

  /// The value of key 8, which is there exactly if the features say so.
  private static func predecessors(
    from map: inout CBOR.Reader, _ keys: inout CBOR.MapKeys, isHandOver: Bool,
    before signer: SignerKey
  ) throws(FormatError) -> [Predecessor] {
    guard isHandOver else { return [] }
    try map.requireKey(8, in: &keys, as: "predecessors")
    let start = map.offset
    var predecessors: [Predecessor] = []
    let count = try map.readArrayHeader(
      Limits.predecessors, elementByteCount: 1, as: "predecessors")
    for _ in 0..<count { predecessors.append(try Predecessor(parsing: &map)) }
    try Predecessor.check(predecessors, before: signer, offset: start)
    return predecessors
  }

  private static func features(from map: inout CBOR.Reader) throws(FormatError) -> [UInt64] {
    var features: [UInt64] = []
    let most = Limits.publicMapByteCount.upperBound
    for _ in 0..<(try map.readArrayHeader(0...most, elementByteCount: 1, as: "features")) {
      let start = map.offset
      let feature = try map.readUnsigned(as: "features")
      if let last = features.last, feature <= last {
        throw .notAscending(field: "features", offset: start)
      }
      features.append(feature)
    }
    return features
  }

  private static var predecessorBounds: ClosedRange<UInt64> {
    UInt64(Limits.predecessors.lowerBound)...UInt64(Limits.predecessors.upperBound)
  }

  private static var listsBounds: ClosedRange<UInt64> {
    UInt64(Limits.listsByteCount.lowerBound)...UInt64(Limits.listsByteCount.upperBound)
  }

  private static var boxBounds: ClosedRange<UInt64> {
    UInt64(Limits.segmentBoxByteCount.lowerBound)...UInt64(Limits.segmentBoxByteCount.upperBound)
  }

  private static func check(
    _ count: Int, _ allowed: ClosedRange<UInt64>, as field: String
  ) throws(FormatError) {
    guard allowed.contains(UInt64(clamping: count)) else {
      throw .valueOutOfRange(
        field: field, offset: 0, found: UInt64(clamping: count), allowed: allowed)
    }
  }
}
