import VaultFormat
import VaultStore

/// What `git setup` writes for one vault of a repository, and takes away again.
struct RepositorySetup {
  typealias Setting = LocalConfiguration.Setting

  /// What would be done, in order.
  enum Step {
    case set(Setting)
    case unset(Setting)
    case record(Setting)
    case forget(Setting)
    case hook(HookFolder, HookFolder.Change)
    case restore([UInt8])
  }

  /// Why nothing is done.
  enum Refusal: Error {
    case git(Git.Refusal)
    case hook(HookFolder.Refusal)
    /// A key has a value that setup did not write.
    case foreign(Setting)
    /// The repository has no work tree.
    case noWorkTree
  }

  static let vaultKey = "vaulttool.vault"
  static let commandKey = "vaulttool.passphraseCommand"
  /// What setup wrote, a record for each value.
  static let recordKey = "vaulttool.setup"
  private static let answerByteCount = 65_536

  /// The top of the work tree.
  let top: [UInt8]
  /// Where the folder lies below it; `.` for the top itself.
  let path: [UInt8]
  private let program: String
  private let configuration: LocalConfiguration

  /// Asks git about the repository that a folder lies in.
  /// - Parameter program: how a shell calls `vaulttool`.
  init(around folder: [UInt8], program: String) throws(Refusal) {
    do {
      var top = try Git.run(
        ["rev-parse", "--show-toplevel"], in: folder, limit: Self.answerByteCount)
      guard top.popLast() != nil, !top.isEmpty else { throw Refusal.noWorkTree }
      let prefix = try Git.run(
        ["rev-parse", "--show-prefix"], in: folder, limit: Self.answerByteCount)
      let path = Array(prefix.dropLast(2))
      self.top = top
      self.path = path.isEmpty ? Array(".".utf8) : path
      configuration = try LocalConfiguration(of: top)
      self.program = program
    } catch let error as Git.Refusal {
      throw .git(error)
    } catch {
      throw error as? Refusal ?? .noWorkTree
    }
  }

  private var settings: [Setting] {
    [
      Setting("diff.vaulttool.textconv", "\(program) git textconv"),
      Setting("diff.vaulttool.cachetextconv", "false"),
      Setting("merge.vaulttool.name", "notes of a vault"),
      Setting("merge.vaulttool.driver", "\(program) git merge %O %A %B %L %P"),
    ]
  }

  private var records: [Setting] {
    configuration.values(of: Self.recordKey).compactMap(Setting.init(record:))
  }

  // MARK: - Planning

  /// What is left to be done for the vault.
  func setup(
    passphraseCommand: [UInt8]?, withHooks: Bool
  ) throws(Refusal) -> [Step] {
    var steps: [Step] = []
    let command = passphraseCommand.map { [Setting(Self.commandKey, $0)] } ?? []
    for setting in settings + command { steps += try replace(with: setting) }
    let vault = Setting(Self.vaultKey, path)
    if !configuration.has(vault) { steps += [.set(vault), .record(vault)] }
    guard withHooks else { return steps }
    do {
      let folder = try HookFolder(of: top, isUndoing: false)
      return steps + (try folder.additions(program: program)).map { .hook(folder, $0) }
    } catch {
      throw .hook(error)
    }
  }

  /// A value in place of the one that setup wrote before.
  private func replace(with setting: Setting) throws(Refusal) -> [Step] {
    var steps: [Step] = []
    for value in configuration.values(of: setting.key) where value != setting.value {
      let present = Setting(setting.key, value)
      guard records.contains(present) else { throw .foreign(present) }
      steps += [.unset(present), .forget(present)]
    }
    if !configuration.has(setting) { steps += [.set(setting), .record(setting)] }
    return steps
  }

  /// What is left to be taken away: for one vault, or for all where it is the last one or the folder is none.
  func undo(isVault: Bool) throws(Refusal) -> [Step] {
    let vault = Setting(Self.vaultKey, path)
    let others = configuration.values(of: Self.vaultKey).filter { $0 != path }
    let taken = isVault && !others.isEmpty ? records.filter { $0 == vault } : records
    var steps: [Step] = []
    for setting in taken {
      if configuration.has(setting) { steps.append(.unset(setting)) }
      steps.append(.forget(setting))
    }
    if isVault, !others.isEmpty { return steps }
    do {
      let folder = try HookFolder(of: top, isUndoing: true)
      return steps + (try folder.removals()).map { .hook(folder, $0) }
    } catch {
      throw .hook(error)
    }
  }

  // MARK: - Doing

  /// Does the steps; one that fails ends it, and running it again goes on.
  func carryOut(_ steps: [Step], on vault: VaultFolder?) throws(CommandError) {
    var configuration = configuration
    do {
      for step in steps {
        switch step {
        case .set(let setting): try configuration.add(setting)
        case .unset(let setting): try configuration.remove(setting)
        case .record(let setting):
          try configuration.add(Setting(Self.recordKey, setting.record))
        case .forget(let setting):
          try configuration.remove(Setting(Self.recordKey, setting.record))
        case .hook(let folder, let change): try folder.carryOut(change)
        case .restore(let path):
          if let vault { try CompanionRestoring.restore(path, in: vault) }
        }
      }
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      throw .refused("\(error)", .failed, hint: nil)
    }
  }
}

extension RepositorySetup.Step {
  /// What the step does, for people; nil where that goes without saying.
  var text: String? {
    switch self {
    case .set(let setting): "set \(setting.key) to \(DisplayName(setting.value).quoted)"
    case .unset(let setting): "remove \(setting.key) \(DisplayName(setting.value).quoted)"
    case .record, .forget: nil
    case .hook(_, let change):
      change.script == nil
        ? "remove \(DisplayName(change.path))"
        : "\(change.permissions == nil ? "write" : "change") \(DisplayName(change.path))"
    case .restore(let path): "restore \(DisplayName(path))"
    }
  }
}

extension RepositorySetup.Refusal {
  var asCommandError: CommandError {
    switch self {
    case .git(let refusal): .refused("\(refusal)", .failed, hint: nil)
    case .hook(let refusal):
      .refused(
        "\(refusal)", .failed,
        hint: "without '--hooks' the rest is set up; a hook of your own can run "
          + "'vaulttool verify --staged VAULT'")
    case .foreign(let setting):
      .refused(
        "\(setting.key) is \(DisplayName(setting.value).quoted) already, which this command did not write",
        .failed, hint: "'git config --unset-all \(setting.key)' makes room")
    case .noWorkTree: .refused("the repository has no work tree", .failed, hint: nil)
    }
  }
}
