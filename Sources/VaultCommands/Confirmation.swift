import VaultStore

/// The question that a command asks before a step that may be regretted.
enum Confirmation {
  static let yes = OptionSpec.flag("yes", help: "Answer yes to the question that would be asked.")

  /// Says what will happen and asks whether to go on, unless `--yes` was given.
  /// - Throws: `refused` (status 1) for a no, and where there is neither `--yes` nor a terminal.
  static func ask(
    _ lines: [String], _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) {
    for line in lines { console.warn(line) }
    if arguments.has(yes) { return }
    let isYes: Bool
    do throws(SecretError) {
      isYes = try TerminalPrompt(on: console).confirm("Go on?")
    } catch {
      guard error == .noTerminal else { throw .secret(error) }
      throw .refused("nobody said yes; nothing was changed", .failed, hint: "run it with '--yes'")
    }
    guard isYes else { throw .refused("nothing was changed", .failed, hint: nil) }
  }
}
