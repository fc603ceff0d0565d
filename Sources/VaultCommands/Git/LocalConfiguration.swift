/// The settings in a repository's own configuration file, which all its linked work trees share.
struct LocalConfiguration {
  private static let answerByteCount = 1 << 22

  /// A folder of the work tree.
  private let folder: [UInt8]
  /// Keys as git spells them: all but the middle part in lower case.
  private var settings: [(key: [UInt8], value: [UInt8])] = []

  init(of folder: [UInt8]) throws(Git.Refusal) {
    self.folder = folder
    let answer = try Git.run(
      ["config", "--local", "--null", "--list"], in: folder, limit: Self.answerByteCount)
    for setting in answer.split(separator: 0) {
      let parts = setting.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      settings.append((Array(parts[0]), parts.count == 2 ? Array(parts[1]) : []))
    }
  }

  /// All values of a key, in their order. The middle part of a key of ours has no capitals.
  func values(of key: String) -> [[UInt8]] {
    let key = Array(key.lowercased().utf8)
    return settings.filter { $0.key == key }.map(\.value)
  }

  func has(_ setting: Setting) -> Bool { values(of: setting.key).contains(setting.value) }

  /// Adds a value to those that the key has.
  mutating func add(_ setting: Setting) throws(Git.Refusal) {
    try change(["config", "--local", "--add"], [Array(setting.key.utf8), setting.value])
    settings.append((Array(setting.key.lowercased().utf8), setting.value))
  }

  /// Removes exactly this value, where the key has it.
  mutating func remove(_ setting: Setting) throws(Git.Refusal) {
    try change(
      ["config", "--local", "--fixed-value", "--unset-all"],
      [Array(setting.key.utf8), setting.value])
    settings.removeAll {
      $0.key.elementsEqual(setting.key.lowercased().utf8) && $0.value == setting.value
    }
  }

  private func change(_ words: [String], _ more: [[UInt8]]) throws(Git.Refusal) {
    let call = Git.Call(words.map { Array($0.utf8) } + more)
    _ = try Git.run(call, in: folder, limit: Self.answerByteCount)
  }

  /// One value of one key.
  struct Setting: Equatable, Sendable {
    let key: String
    let value: [UInt8]

    init(_ key: String, _ value: [UInt8]) {
      self.key = key
      self.value = value
    }

    init(_ key: String, _ value: String) { self.init(key, Array(value.utf8)) }

    /// How it is recorded that setup wrote it.
    var record: [UInt8] { Array("\(key)=".utf8) + value }

    /// Takes a record apart; nil for anything else.
    init?(record: [UInt8]) {
      guard let end = record.firstIndex(of: UInt8(ascii: "=")),
        let key = String(validating: record[..<end], as: UTF8.self)
      else { return nil }
      self.init(key, Array(record[(end + 1)...]))
    }
  }
}
