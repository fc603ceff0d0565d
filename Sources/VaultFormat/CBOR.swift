/// The strict, deterministic subset of CBOR that all structured data is written in (spec §3.2).
package enum CBOR {
  /// The types of value that the subset has.
  package enum ItemType: Equatable, Sendable, CustomStringConvertible {
    case unsigned, negative, bytes, text, array, map, bool

    /// The type as error messages name it.
    package var description: String {
      switch self {
      case .unsigned: "an unsigned integer"
      case .negative: "a negative integer"
      case .bytes: "a byte string"
      case .text: "a text string"
      case .array: "an array"
      case .map: "a map"
      case .bool: "a boolean"
      }
    }
  }

  /// How far a map has been read: its keys come in strictly ascending order.
  package struct MapKeys {
    /// Entries whose key has not been read.
    var unread: Int
    var previous: UInt64?
    /// A key that has been read and whose value has not.
    var pending: (key: UInt64, offset: Int)?
    let field: String
  }
}
