import Testing

@testable import VaultFormat

/// A record with an example and the way from bytes to the value and, from the fields of the value
/// alone, back to bytes.
struct Codec: Sendable, CustomTestStringConvertible {
  let name: String
  let sample: [UInt8]
  /// Decodes, then encodes what was decoded.
  let recode: @Sendable ([UInt8]) throws(FormatError) -> [UInt8]

  var testDescription: String { name }

  static let all = files + parts

  /// Records that begin with a preamble.
  static let files = [
    Codec(name: "VAULT", sample: later(Samples.vault).file(.vault), recode: vault),
    Codec(
      name: "slot", sample: later(Samples.slot).file(.slot, then: Samples.slotBox), recode: slot),
    Codec(
      name: "sealed file", sample: later(Samples.sealedFile).file(.sealedFile),
      recode: sealedFile),
    Codec(
      name: "segment",
      sample: later(Samples.handOver).file(
        .segment, then: Samples.segmentRest),
      recode: segment),
  ]

  /// Records that are one CBOR value to the end.
  static let arrays = [
    Codec(name: "lists", sample: Samples.lists.encoded) { bytes throws(FormatError) in
      try SegmentLists(decoding: bytes.span).encoded()
    },
    Codec(name: "body", sample: Samples.body.encoded) { bytes throws(FormatError) in
      let entries = try SegmentLists(decoding: Samples.lists.encoded.span).entries
      return try SegmentBody(decoding: bytes.span, entries: entries).encoded()
    },
    Codec(name: "plan", sample: Samples.plan.encoded) { bytes throws(FormatError) in
      try CommitPlan(decoding: bytes.span).encoded()
    },
  ]

  /// All that has no preamble.
  static let parts =
    arrays + [
      Codec(name: "header", sample: Samples.padded(later(Samples.header)), recode: header),
      Codec(
        name: "frame",
        sample: [1, 0, 0, 0, 183, 0, 0, 1, 0] + [UInt8](repeating: 0xAA, count: 183)
      ) { bytes throws(FormatError) in
        let frame = try SegmentBoxFrame(decoding: bytes.span, entryCount: 2)
        return frame.encoded(body: Array(bytes[frame.bodyRange]))
      },
    ]

  /// The map with two keys of a later version.
  private static func later(_ map: Item) -> Item {
    map.with(129, .array([.text("é"), .bool(false)])).with(1 << 40, .map([(5, .negative(6))]))
  }

  private static func vault(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let vault = try VaultHeader(decoding: bytes.span)
    return try VaultHeader(
      vaultID: vault.vaultID, vaultSalt: vault.vaultSalt,
      firstCompartment: vault.firstCompartment, laterKeys: vault.laterKeys
    ).encoded()
  }

  private static func slot(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let slot = try KeySlot(decoding: bytes.span, bounds: .standard)
    let head = slot.head
    return try KeySlot(
      head: KeySlotHead(
        vaultID: head.vaultID, vaultSalt: head.vaultSalt, firstCompartment: head.firstCompartment,
        compartment: head.compartment, purpose: head.purpose, iterations: head.iterations,
        slotSalt: head.slotSalt, locator: head.locator, signer: head.signer, label: head.label,
        hint: head.hint, laterKeys: head.laterKeys, bounds: .standard),
      box: slot.box
    ).encoded()
  }

  private static func sealedFile(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    var reader = ByteReader(bytes.span)
    let head = try SealedFileHead(parsing: &reader)
    try reader.finish()
    return try SealedFileHead(
      compartment: head.compartment, noteID: head.noteID, salt: head.salt,
      chunkSizeLog2: head.chunkSizeLog2, baseNonce: head.baseNonce,
      headerBoxByteCount: head.headerBoxByteCount, laterKeys: head.laterKeys
    ).prefix
  }

  private static func segment(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let file = try SegmentFile(decoding: bytes.span)
    let head = file.head
    let rebuilt = try SegmentHead(
      compartment: head.compartment, salt: head.salt, signer: head.signer,
      vaultDigest: head.vaultDigest, features: head.features, listsByteCount: head.listsByteCount,
      boxByteCount: head.boxByteCount, predecessors: head.predecessors, laterKeys: head.laterKeys)
    return rebuilt.prefix + bytes[file.commitmentRange] + bytes[file.maskedListsRange]
      + bytes[file.boxRange] + bytes[file.signatureRange]
  }

  private static func header(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    let header = try NoteHeader(decoding: bytes.span)
    return try NoteHeader(
      path: header.path, content: header.content, executable: header.executable
    ).encoded()
  }
}
