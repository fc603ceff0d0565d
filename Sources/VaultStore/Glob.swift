/// A pattern for paths of bytes (spec/command-line.md, `--exclude`).
///
/// `?` stands for one byte and `*` for any number, both but `/`; `**` for any bytes, and a `**/` also for nothing; `[a-z]`
/// for one byte of a set and `[!a-z]` for one byte outside it, never `/`; a backslash takes away what the next byte means.
/// Without a `/` inside, the pattern is matched against single parts, else against the whole path.
package struct Glob: Sendable {
  private enum Token: Sendable {
    case byte(UInt8)
    case anyByte
    case set(Set<UInt8>)
    /// Any number of bytes but `/`.
    case part
    /// Any number of bytes.
    case parts
    /// Any number of whole parts, each with its `/`.
    case wholeParts
  }

  private static let slash = UInt8(ascii: "/")

  private let tokens: [Token]
  private let isForParts: Bool

  package init(_ pattern: [UInt8]) {
    var bytes = pattern[...]
    while bytes.count > 1, bytes.last == Self.slash { bytes.removeLast() }
    isForParts = !bytes.contains(Self.slash)
    // A path has no `/` in front, so one there only says "from the top".
    if bytes.count > 1, bytes.first == Self.slash { bytes.removeFirst() }
    tokens = Self.tokens(of: Array(bytes))
  }

  /// Whether an entry is excluded by its own path; what lies below an excluded folder is not asked for.
  package func matchesEntry(_ path: [UInt8]) -> Bool {
    guard isForParts else { return matches(path[...]) }
    let start = path.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
    return matches(path[start...])
  }

  /// Whether a path or a folder above it is excluded.
  package func matchesAtOrAbove(_ path: [UInt8]) -> Bool {
    if isForParts { return path.split(separator: Self.slash).contains(where: matches) }
    return matches(path[...])
      || path.indices.contains { path[$0] == Self.slash && matches(path[..<$0]) }
  }

  // MARK: - Matching

  /// Follows all ways through the pattern at once, so no pattern is slower than its length times the path's.
  private func matches(_ text: ArraySlice<UInt8>) -> Bool {
    var reached = [Bool](repeating: false, count: tokens.count + 1)
    reached[0] = true
    skipEmpty(&reached)
    for byte in text {
      var next = [Bool](repeating: false, count: tokens.count + 1)
      for (index, token) in tokens.enumerated() where reached[index] {
        switch token {
        case .byte(let wanted): next[index + 1] = next[index + 1] || byte == wanted
        case .anyByte: next[index + 1] = next[index + 1] || byte != Self.slash
        case .set(let set): next[index + 1] = next[index + 1] || set.contains(byte)
        case .part: next[index] = next[index] || byte != Self.slash
        case .parts, .wholeParts: next[index] = true
        }
      }
      skipEmpty(&next, endingWholeParts: byte == Self.slash)
      reached = next
    }
    return reached[tokens.count]
  }

  /// Passes over tokens that may stand for nothing.
  private func skipEmpty(_ reached: inout [Bool], endingWholeParts: Bool = true) {
    for (index, token) in tokens.enumerated() where reached[index] {
      switch token {
      case .part, .parts: reached[index + 1] = true
      case .wholeParts: if endingWholeParts { reached[index + 1] = true }
      case .byte, .anyByte, .set: break
      }
    }
  }

  // MARK: - Parsing

  private static func tokens(of pattern: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var rest = pattern[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "?"): tokens.append(.anyByte)
      case UInt8(ascii: "*"): tokens.append(star(&rest, isAtPartStart: isPartStart(tokens)))
      case UInt8(ascii: "["): tokens.append(set(&rest) ?? .byte(byte))
      case UInt8(ascii: "\\"): tokens.append(.byte(rest.popFirst() ?? byte))
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  private static func isPartStart(_ tokens: [Token]) -> Bool {
    switch tokens.last {
    case nil, .wholeParts: true
    case .byte(let byte): byte == slash
    default: false
    }
  }

  private static func star(_ rest: inout ArraySlice<UInt8>, isAtPartStart: Bool) -> Token {
    guard rest.first == UInt8(ascii: "*") else { return .part }
    while rest.first == UInt8(ascii: "*") { rest.removeFirst() }
    guard isAtPartStart, rest.first == slash else { return .parts }
    rest.removeFirst()
    return .wholeParts
  }

  /// A set after its `[`; nil, and nothing taken, where no `]` ends it.
  private static func set(_ rest: inout ArraySlice<UInt8>) -> Token? {
    var inside = rest
    let isNegated = inside.first == UInt8(ascii: "!") || inside.first == UInt8(ascii: "^")
    if isNegated { inside.removeFirst() }
    var members = Set<UInt8>()
    var isFirst = true
    while let byte = inside.popFirst() {
      if byte == UInt8(ascii: "]"), !isFirst {
        rest = inside
        let set = isNegated ? Set(UInt8.min...UInt8.max).subtracting(members) : members
        return .set(set.subtracting([slash]))
      }
      isFirst = false
      let low = byte == UInt8(ascii: "\\") ? inside.popFirst() ?? byte : byte
      guard inside.first == UInt8(ascii: "-"), let high = inside.dropFirst().first,
        high != UInt8(ascii: "]")
      else {
        members.insert(low)
        continue
      }
      inside.removeFirst(2)
      if low <= high { members.formUnion(low...high) }
    }
    return nil
  }
}
