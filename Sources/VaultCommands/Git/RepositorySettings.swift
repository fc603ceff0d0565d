/// What git's configuration says about vaults: the repository's own, the user's or the system's, never a file of the tree.
package struct RepositorySettings: Equatable, Sendable {
  /// The most that git may answer.
  private static let answerByteCount = 1 << 20

  /// `vaulttool.vault`: the vaults of the repository, relative to the top of its work tree, in their order.
  package private(set) var vaults: [[UInt8]] = []
  /// `vaulttool.passphraseCommand`: for `/bin/sh -c`; the last one counts.
  package private(set) var passphraseCommand: [UInt8]?
  /// `vaulttool.conflict`; the last one counts.
  package private(set) var conflict: [UInt8]?

  /// Asks git in a folder.
  package init(in folder: [UInt8]) throws(Git.Refusal) {
    let call = Git.Call(["config", "--null", "--get-regexp", "^vaulttool\\."])
    let outcome = try Git.outcome(of: call, in: folder, limit: Self.answerByteCount)
    // Status 1: there is no such setting.
    guard outcome.status <= 1 else { throw .refused(reason: outcome.errors) }
    self.init(answer: outcome.output)
  }

  /// Takes apart `key LF value NUL` for each setting; one without a value has no LF.
  init(answer: [UInt8]) {
    for setting in answer.split(separator: 0) {
      let parts = setting.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty else { continue }
      let value = Array(parts[1])
      switch String(decoding: parts[0], as: UTF8.self) {
      case "vaulttool.vault": vaults.append(value)
      case "vaulttool.passphrasecommand": passphraseCommand = value
      case "vaulttool.conflict": conflict = value
      default: break
      }
    }
  }
}
