import VaultFormat
import VaultStore

/// `git merge`: the merge driver that git calls for a sealed file that both sides changed.
package enum MergeDriverCommand: Command {
  private static let base = OperandSpec("BASE")
  private static let ours = OperandSpec("OURS")
  private static let theirs = OperandSpec("THEIRS")
  private static let more = OperandSpec("SIZE PATH", .any)

  package static let spec = CommandSpec(
    name: "git merge", summary: "Merge two versions of a note; git calls it as a merge driver.",
    operands: [base, ours, theirs, more], options: [],
    notes: [
      "BASE, OURS and THEIRS are sealed files; what was merged is sealed again and takes the place of "
        + "OURS. Text is merged as git merges text, with conflict markers as merge.conflictStyle says, of SIZE "
        + "characters. With vaulttool.conflict set to 'versions' nothing is written where both sides changed "
        + "the same lines: git keeps the two versions, and a person takes one.",
      "Without a session or a configured passphrase command, and for what is no text, OURS stays as it is and "
        + "the conflict is left to a person. It never asks for a secret.",
      "After the merge 'vaulttool git reconcile' settles the note in the index.",
    ],
    statuses: [],
    examples: [
      .init(
        "git config merge.vaulttool.driver 'vaulttool git merge %O %A %B %L %P'",
        "what 'vaulttool git setup' sets")
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let more = arguments.operands(more)
    guard more.count <= 2 else { throw .usage(.extraOperand(more[2])) }
    let markerSize: Int
    do { markerSize = try Self.markerSize(more.first) } catch { throw .usage(error) }
    let files = MergeFiles(
      base: arguments.operand(base), ours: arguments.operand(ours),
      theirs: arguments.operand(theirs))
    let name = more.count == 2 ? more[1] : files.ours
    do throws(MergeRefusal) {
      let isClean = try MergeDriver(files, markerSize: markerSize, keys: NoteKeys(console)).run()
      if !isClean {
        console.warn(
          "\(DisplayName(name)): both sides changed the same lines; the note holds conflict markers now"
        )
        console.hint(
          "'vaulttool git reconcile' takes it as it is (after a cherry-pick or revert with --accept); then "
            + "unpack the note, settle the lines and pack, or take one side")
      }
      return isClean ? .done : .failed
    } catch {
      console.warn("\(DisplayName(name)): not merged: \(error)")
      return .failed
    }
  }

  private static func markerSize(_ value: [UInt8]?) throws(UsageError) -> Int {
    guard let value else { return 7 }
    guard let size = Int(String(decoding: value, as: UTF8.self)), (1...1_000).contains(size) else {
      throw .refused("SIZE must be the length of a conflict marker, 1 to 1000")
    }
    return size
  }
}
