import Foundation

/// A JSON document to ask for fields; what is not there has no value.
struct JSON {
  private let value: Any?

  init(_ bytes: [UInt8]) throws {
    value = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
  }

  private init(value: Any?) { self.value = value }

  subscript(key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }

  subscript(index: Int) -> JSON {
    guard let list = value as? [Any], list.indices.contains(index) else { return JSON(value: nil) }
    return JSON(value: list[index])
  }

  var string: String? { value as? String }
  var int: Int? { value as? Int }
  var bool: Bool? { value as? Bool }
  var list: [JSON]? { (value as? [Any])?.map { JSON(value: $0) } }
  var keys: [String]? { (value as? [String: Any])?.keys.sorted() }
}
