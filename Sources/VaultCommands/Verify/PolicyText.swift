/// Reads the text of a policy, byte by byte: keys with numbers, truth values, texts and lists of texts.
struct PolicyText {
  enum Value: Equatable {
    case integer(UInt64)
    case boolean(Bool)
    case text([UInt8])
    case list([[UInt8]])
  }

  struct Item: Equatable {
    let key: [UInt8]
    let value: Value
    let line: Int
  }

  typealias Failure = PolicyFile.Failure

  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Some editors put a byte order mark before UTF-8.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Whether the text is JSON: it begins like an object, which TOML never does.
  var isObject: Bool {
    bytes[offset...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
  }

  // MARK: - Forms

  /// `key = value` lines, empty lines and `#` comments.
  mutating func table() throws(Failure) -> [Item] {
    var items: [Item] = []
    while true {
      skip(comments: true, lineEnds: true)
      if offset == bytes.count { return items }
      let start = line
      if next == UInt8(ascii: "[") { throw failure("a table; a policy is flat") }
      let key = isQuote(next) ? try text(quotes: [0x22, 0x27]) : bareKey()
      if key.isEmpty { throw failure("what is no key") }
      skip(comments: false, lineEnds: false)
      try take(UInt8(ascii: "="), "'=' behind the key")
      skip(comments: false, lineEnds: false)
      items.append(Item(key: key, value: try value(isTOML: true), line: start))
      skip(comments: true, lineEnds: false)
      guard offset == bytes.count || next == 0x0A else {
        throw failure("something behind the value")
      }
    }
  }

  /// One JSON object and nothing behind it.
  mutating func object() throws(Failure) -> [Item] {
    var items: [Item] = []
    skip(comments: false, lineEnds: true)
    try take(UInt8(ascii: "{"), "'{'")
    skip(comments: false, lineEnds: true)
    if next == UInt8(ascii: "}") {
      offset += 1
    } else {
      while true {
        skip(comments: false, lineEnds: true)
        let start = line
        let key = try text(quotes: [0x22])
        skip(comments: false, lineEnds: true)
        try take(UInt8(ascii: ":"), "':' behind the key")
        skip(comments: false, lineEnds: true)
        items.append(Item(key: key, value: try value(isTOML: false), line: start))
        skip(comments: false, lineEnds: true)
        if next == UInt8(ascii: "}") { break }
        try take(UInt8(ascii: ","), "',' or '}' behind the value")
      }
      offset += 1
    }
    skip(comments: false, lineEnds: true)
    guard offset == bytes.count else { throw failure("something behind the object") }
    return items
  }

  // MARK: - Values

  private mutating func value(isTOML: Bool) throws(Failure) -> Value {
    let quotes: [UInt8] = isTOML ? [0x22, 0x27] : [0x22]
    guard let first = next else { throw failure("the end where a value belongs") }
    if first == UInt8(ascii: "[") { return .list(try list(isTOML: isTOML, quotes)) }
    if isQuote(first) { return .text(try text(quotes: quotes)) }
    let word = bareWord()
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    let digits = isTOML ? withoutSeparators(word) : word
    guard let digits, let number = VerifyNumber.whole(digits) else {
      throw failure("a value that is no whole number, true, false, text or list of texts")
    }
    return .integer(number)
  }

  private mutating func list(isTOML: Bool, _ quotes: [UInt8]) throws(Failure) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    offset += 1
    while true {
      skip(comments: isTOML, lineEnds: true)
      // TOML takes a comma behind the last text, JSON does not.
      if next == UInt8(ascii: "]"), isTOML || texts.isEmpty { break }
      texts.append(try text(quotes: quotes))
      skip(comments: isTOML, lineEnds: true)
      if next == UInt8(ascii: "]") { break }
      try take(UInt8(ascii: ","), "',' or ']' behind the text")
    }
    offset += 1
    return texts
  }

  /// A text on one line, without escapes: no value of a policy needs one.
  private mutating func text(quotes: [UInt8]) throws(Failure) -> [UInt8] {
    guard let quote = next, quotes.contains(quote) else { throw failure("no text in quotes") }
    let start = offset + 1
    var end = start
    while end < bytes.count, bytes[end] != quote {
      if bytes[end] == UInt8(ascii: "\\") { throw failure("an escape, which is not taken") }
      if bytes[end] < 0x20 || bytes[end] == 0x7F { throw failure("a text that does not end") }
      end += 1
    }
    guard end < bytes.count else { throw failure("a text that does not end") }
    offset = end + 1
    return Array(bytes[start..<end])
  }

  // MARK: - Bytes

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func isQuote(_ byte: UInt8?) -> Bool { byte == 0x22 || byte == 0x27 }

  private mutating func bareKey() -> [UInt8] {
    let key = bytes[offset...].prefix { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    offset += key.count
    return Array(key)
  }

  private mutating func bareWord() -> [UInt8] {
    let ends: Set<UInt8> = Set(" \t\r\n,]}#".utf8)
    let word = bytes[offset...].prefix { !ends.contains($0) }
    offset += word.count
    return Array(word)
  }

  /// TOML allows `600_000`: an underscore between two digits.
  private func withoutSeparators(_ word: [UInt8]) -> [UInt8]? {
    let parts = word.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    return parts.contains(where: \.isEmpty) ? nil : Array(parts.joined())
  }

  private mutating func skip(comments: Bool, lineEnds: Bool) {
    while let byte = next {
      if byte == 0x0A, lineEnds {
        line += 1
      } else if byte == UInt8(ascii: "#"), comments {
        offset = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
        continue
      } else if byte == 0x0D {
        // Only before a line feed.
        guard offset + 1 < bytes.count, bytes[offset + 1] == 0x0A else { return }
      } else if byte != 0x20, byte != 0x09 {
        return
      }
      if byte == 0x0A, !lineEnds { return }
      offset += 1
    }
  }

  private mutating func take(_ byte: UInt8, _ name: String) throws(Failure) {
    guard next == byte else { throw failure("no \(name)") }
    offset += 1
  }

  private func failure(_ found: String) -> Failure {
    Failure(line: line, reason: "there is \(found)")
  }
}
