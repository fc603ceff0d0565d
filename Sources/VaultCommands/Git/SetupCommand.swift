import VaultFormat
import VaultStore

/// `git setup`: makes git show and merge the notes of a vault.
package enum SetupCommand: Command {
  private static let vault = OperandSpec("VAULT", .optional)
  private static let hooks = OptionSpec.flag(
    "hooks",
    help: "Also check the vault before each commit, and reconcile it after a merge or a change of "
      + "branches.")
  private static let undo = OptionSpec.flag("undo", help: "Take away what was set up.")
  private static let passphraseCommand = OptionSpec.value(
    "passphrase-command", "CMD",
    help:
      "What git's diffs and merges run for the passphrase while nothing is unlocked: its output, "
      + "by /bin/sh -c. It stands in the repository's configuration, so it must not hold the passphrase."
  )
  private static let dryRun = OptionSpec.flag("dry-run", help: "Say what would be done.")

  package static let spec = CommandSpec(
    name: "git setup", summary: "Let git show and merge the notes of a vault as text.",
    operands: [vault], options: [hooks, undo, passphraseCommand, dryRun],
    notes: [
      "Sets the diff and merge drivers that the vault's .gitattributes names, in the repository's own "
        + "configuration, which is never committed: each clone is set up by itself. Stages and commits "
        + "nothing, and may be run again. A value or hook of your own is not replaced.",
      "With --undo everything that was set up goes, and nothing else; where VAULT is one of several "
        + "vaults of the repository, only what is for it.",
      "VAULT is the current folder if it is left out.",
    ],
    statuses: [.damaged, .newerVersion],
    examples: [
      .init("vaulttool git setup ~/notes.vault", "then 'git diff' and 'git log -p' show notes"),
      .init("vaulttool git setup --hooks --dry-run", "what would be done, for the current folder"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    if arguments.has(undo) {
      for option in [hooks, passphraseCommand] where arguments.isGiven(option) {
        throw .usage(.conflictingOptions(undo.name, option.name))
      }
    }
    let path = arguments.optionalOperand(vault) ?? Array(".".utf8)
    let isVault: Bool
    let folder: VaultFolder?
    do throws(StoreError) {
      folder = try VaultFolder(path: path)
      isVault = true
    } catch {
      // A vault that is gone or damaged is no reason to keep what was set up for it.
      guard arguments.has(undo) else { throw .store(error) }
      folder = nil
      isVault = false
    }
    var steps: [RepositorySetup.Step]
    let setup: RepositorySetup
    do {
      setup = try RepositorySetup(around: path, program: ProgramName.forShell())
      steps =
        arguments.has(undo)
        ? try setup.undo(isVault: isVault)
        : try setup.setup(
          passphraseCommand: arguments.value(of: passphraseCommand),
          withHooks: arguments.has(hooks))
    } catch {
      throw error.asCommandError
    }
    var code = ExitCode.done
    if let folder, !arguments.has(undo) {
      let (restored, found) = try companions(of: folder, console)
      steps = restored + steps
      code = found
    }
    let isDry = arguments.has(dryRun)
    if !isDry { try setup.carryOut(steps, on: folder) }
    for text in steps.compactMap(\.text) { console.note(isDry ? "would \(text)" : text) }
    if steps.isEmpty {
      console.note(arguments.has(undo) ? "nothing was set up" : "all is set up already")
    }
    return code
  }

  /// The companions that tell git about the vault: what is to be restored, and what follows from the rest.
  private static func companions(
    of vault: VaultFolder, _ console: Console
  ) throws(CommandError) -> ([RepositorySetup.Step], ExitCode) {
    var steps: [RepositorySetup.Step] = []
    var code = ExitCode.done
    do throws(StoreError) {
      let snapshot = try Snapshot.load(vault, bounds: .standard)
      for path in CompanionRestoring.paths {
        switch try CompanionRestoring.find(path, in: vault, snapshot) {
        case .asListed: break
        case .restorable: steps.append(.restore(path))
        case .needsRepair:
          console.warn("\(DisplayName(path)) is not as the vault's index lists it")
          console.hint(
            "'vaulttool verify' says more, and 'vaulttool verify --repair' mends what it can")
          code = .damaged
        }
      }
    } catch {
      throw .store(error)
    }
    return (steps, code)
  }
}

/// How a shell that git starts calls this program.
enum ProgramName {
  private static let usual = "vaulttool"

  /// Its name where the search path leads to a program of that name, else its quoted path.
  static func forShell() -> String {
    let path = ProcessVariable("PATH")?.value ?? []
    let isFound = path.split(separator: UInt8(ascii: ":")).contains {
      $0.first == UInt8(ascii: "/") && ChildProgram.isThere($0 + Array("/\(usual)".utf8))
    }
    // Without /proc only the name is left.
    guard !isFound, let program = try? ProcessPaths.program(),
      let text = String(validating: program, as: UTF8.self)
    else { return usual }
    return "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
