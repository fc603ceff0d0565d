/// Bytes of a file name, a path or an argument. A `String` would call two canonically equal names
/// the same.
struct Name: Hashable, Sendable, ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { bytes = Array(text.utf8) }

  /// The entry of this name in a folder.
  static func / (folder: Name, entry: Name) -> Name {
    Name(bytes: folder.bytes + [UInt8(ascii: "/")] + entry.bytes)
  }

  static func + (left: Name, right: Name) -> Name { Name(bytes: left.bytes + right.bytes) }

  static func / (folder: String, entry: Name) -> Name { Name(folder) / entry }

  /// The bytes as text; what is not UTF-8 shows as replacement characters.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The same ended by a zero byte, for C.
  var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}

extension Name: CustomStringConvertible {
  var description: String { text }
}

extension Name: Comparable {
  static func < (left: Name, right: Name) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
