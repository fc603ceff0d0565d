import VaultFormat

/// A CBOR value as a tree, written by this file alone, so that tests do not depend on the encoder
/// they test and can write what it refuses.
indirect enum Item {
  case uint(UInt64)
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case bool(Bool)
  case array([Item])
  case map([(key: UInt64, value: Item)])
  /// Bytes as they are.
  case raw([UInt8])

  static func id(_ byte: UInt8) -> Item { .bytes([UInt8](repeating: byte, count: 16)) }
  static func wide(_ byte: UInt8) -> Item { .bytes([UInt8](repeating: byte, count: 32)) }

  /// A head in its shortest form.
  static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    let width =
      argument < 24
      ? 0 : argument < 1 << 8 ? 1 : argument < 1 << 16 ? 2 : argument < 1 << 32 ? 4 : 8
    return head(major, argument, width: width)
  }

  /// A head with an argument of `width` bytes, 0 for inside the first byte.
  static func head(_ major: UInt8, _ argument: UInt64, width: Int) -> [UInt8] {
    let info: [Int: UInt8] = [1: 24, 2: 25, 4: 26, 8: 27]
    guard let info = info[width] else { return [major << 5 | UInt8(argument)] }
    return [major << 5 | info]
      + (0..<width).map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * (width - 1 - $0))) }
  }

  var encoded: [UInt8] {
    switch self {
    case .uint(let value): Item.head(0, value)
    case .negative(let argument): Item.head(1, argument)
    case .bytes(let bytes): Item.head(2, UInt64(bytes.count)) + bytes
    case .text(let text): Item.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .bool(let value): [value ? 0xF5 : 0xF4]
    case .array(let items): Item.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
    case .map(let pairs):
      Item.head(5, UInt64(pairs.count)) + pairs.flatMap { Item.head(0, $0.key) + $0.value.encoded }
    case .raw(let bytes): bytes
    }
  }

  /// The map with another value for `key`, which is added in order where it is missing; nil removes.
  func with(_ key: UInt64, _ value: Item?) -> Item {
    guard case .map(var pairs) = self else { return self }
    pairs.removeAll { $0.key == key }
    if let value {
      pairs.insert((key, value), at: pairs.firstIndex { $0.key > key } ?? pairs.endIndex)
    }
    return .map(pairs)
  }

  /// The array with another item at `index`.
  func with(at index: Int, _ item: Item) -> Item {
    guard case .array(var items) = self else { return self }
    items[index] = item
    return .array(items)
  }

  /// A file of a vault: preamble, this map, and what follows.
  func file(_ kind: FileKind, then rest: [UInt8] = []) -> [UInt8] {
    let map = encoded
    return [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A, kind.rawValue, 1, 1, 0]
      + (0..<4).map { UInt8(truncatingIfNeeded: map.count >> (24 - 8 * $0)) } + map + rest
  }
}
