import VaultFormat
import VaultStore

/// `cat`: contents of notes to stdout.
package enum CatCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let paths = OperandSpec("PATH", .atLeastOne)

  package static let spec = CommandSpec(
    name: "cat", summary: "Write the contents of notes to stdout.",
    operands: [vault, paths], options: [CatOutput.binary] + SecretSources.severalOptions,
    notes: [
      "A note is checked to its end before its first byte is written. Of a link its target is "
        + "written. What is not plain text goes to a terminal only with --binary."
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [.init("vaulttool cat ~/notes.vault Journal/2024.md", "one note")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let readable = try ReadableVault(at: arguments.operand(vault), arguments, console)
    let notes: [NoteInfo]
    do throws(StoreError) {
      notes = try arguments.operands(paths).map { (path) throws(StoreError) in
        try PathSelection.note(at: path, of: readable.vault)
      }
    } catch {
      throw .store(error)
    }
    var output = try CatOutput(readable.vault, arguments, console)
    return try output.write(notes).combined(with: readable.exitCode)
  }
}
