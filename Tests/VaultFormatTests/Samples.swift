import VaultFormat

/// One of each record, with every optional part, as trees to be changed and encoded.
enum Samples {
  static let vault = Item.map([(1, .id(0x11)), (2, .wide(0x22)), (3, .id(0x33))])

  static let slot = Item.map([
    (1, .id(0x11)), (2, .wide(0x22)), (3, .id(0x33)), (4, .id(0x44)), (5, .uint(1)),
    (6, .uint(600_000)), (7, .wide(0x77)), (8, .wide(0x88)), (9, .wide(0x99)),
    (10, .text("paper in the safe")), (11, .text("four wörds")),
  ])

  static let slotBox = [UInt8](0..<60)

  static let sealedFile = Item.map([
    (1, .id(0x11)), (2, .id(0x22)), (3, .wide(0x33)), (4, .uint(16)),
    (5, .bytes([UInt8](1...12))), (6, .uint(284)),
  ])

  static let segment = Item.map([
    (1, .id(0x11)), (2, .wide(0x22)), (3, .wide(0x33)), (4, .wide(0x44)), (5, .array([])),
    (6, .uint(5)), (7, .uint(220)),
  ])

  /// A segment that needs two features, one of them the hand-over.
  static let handOver = Item.map([
    (1, .id(0x11)), (2, .wide(0x22)), (3, .wide(0x33)), (4, .wide(0x44)),
    (5, .array([.uint(1), .uint(1 << 40)])), (6, .uint(5)), (7, .uint(220)),
    (8, .array([predecessor(0x55), predecessor(0x66)])),
  ])

  static func predecessor(_ signer: UInt8) -> Item {
    .array([
      .wide(signer), .bytes([UInt8](repeating: 0x77, count: 64)),
      .bytes([UInt8](repeating: 0x88, count: 60)),
    ])
  }

  /// Commitment, lists, box and signature of `segment`.
  static let segmentRest = [UInt8](repeating: 0xEE, count: 32 + 5 + 220 + 64)

  static let time = Item.array([.negative(0), .uint(999_999_999)])

  /// The keys 2 to 8.
  static let content = Item.map([
    (2, .uint(1)), (3, .text("text/markdown")), (4, .uint(1_815)), (5, .uint(168)), (6, .uint(1)),
    (7, .array([.uint(1_704_100_500), .uint(0)])), (8, time),
  ])

  static let header = content.with(1, .bytes(Array("Journal/1.md".utf8))).with(9, .bool(true))

  /// The header with its padding.
  static func padded(_ header: Item) -> [UInt8] {
    let map = header.encoded
    return map + [UInt8](repeating: 0, count: (256 - map.count % 256) % 256)
  }

  static let file = Item.array([.wide(0x55), .uint(952)])

  static let noteEntry = Item.array([
    .uint(0), .id(0x01), .array([.id(0xDD), file]), .array([.id(0x0A), .id(0x0B)]), .uint(3),
  ])
  static let renameEntry = Item.array([.uint(0), .id(0x02), .array([]), .array([]), .uint(1)])
  static let slotEntry = Item.array([
    .uint(1), .wide(0x03), .array([file]), .array([]), .uint(0), .map([(128, .uint(7))]),
  ])
  static let companionEntry = Item.array([
    .uint(2), .bytes(Array("kit/reader.py".utf8)), .array([.id(0xDD)]), .array([.id(0x0C)]),
    .uint(0),
  ])

  static let entries = Item.array([noteEntry, renameEntry, slotEntry, companionEntry])
  static let lists = Item.array([
    .array([.id(0xA1), .id(0xA2)]), .array([.id(0xB1)]), .array([.id(0xC1), .id(0xC2)]), entries,
  ])

  static let place = Item.array([.bytes(Array("Lists/a b".utf8)), .bool(true)])

  /// What belongs to `lists`: an item for each of the two entries of notes.
  static let body = Item.array([
    .array([.array([content.with(130, .text("later"))]), place]), .array([.array([]), place]),
  ])

  static let plan = Item.array([
    .array([.id(0x01), .wide(0x02), .bytes([])]), .array([.id(0x03), .bytes([]), .wide(0x04)]),
    .array([.id(0x05), .wide(0x06), .wide(0x07)]),
  ])
}
