import VaultFormat
import VaultStore

/// `diff`: what changed between two states of a vault in git, by note name.
package enum DiffCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let revision = OperandSpec("REV")
  private static let other = OperandSpec("REV2", .optional)
  private static let patch = OptionSpec.flag(
    "patch", short: "p", help: "Show what changed in each note, as 'diff -u' does.")
  private static let null = OptionSpec.flag(
    "null", help: "End letters and names with a zero byte, and write names raw.")
  private static let json = OptionSpec.flag("json", help: "Print the changes as one JSON object.")

  package static let spec = CommandSpec(
    name: "diff", summary: "Show what changed since a git commit, or between two, by note name.",
    operands: [vault, revision, other],
    options: [patch, null, json] + SecretSources.severalOptions,
    notes: [
      "Without REV2 the commit is compared with what lies in the folder. Letters: A added, M "
        + "changed, R renamed, X made executable or not, D deleted.",
      "The sealed files are read from git's objects, and decrypted contents stay in memory.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool diff ~/notes.vault HEAD", "what is not committed yet"),
      .init("vaulttool diff -p ~/notes.vault HEAD~5 HEAD", "the last five commits, with texts"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    for (one, two) in [(json, null), (json, patch), (null, patch)]
    where arguments.has(one) && arguments.has(two) {
      throw .usage(.conflictingOptions(one.name, two.name))
    }
    let access = try PastAccess(at: arguments.operand(vault), arguments, console)
    let old = try access.state(at: arguments.operand(revision))
    let new =
      if let name = arguments.optionalOperand(other) {
        try access.state(at: name)
      } else if access.place.isBare {
        throw CommandError.usage(
          .refused("a bare repository has no folder to compare with: name a second commit"))
      } else {
        try access.folder()
      }
    var code = ExitCode.done
    for side in [old, new] {
      code = code.combined(
        with: VaultAccess.report(side.vault.snapshot.findings + side.vault.findings, console))
    }
    if !new.vault.lockedCompartments.isEmpty { console.note(new.vault.lockedText) }
    let changes = NoteChange.all(from: old.vault, to: new.vault)
    if arguments.has(patch) {
      return code.combined(with: try writePatches(changes, old, new, console))
    }
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(DiffReport(changes, from: old, to: new)))
      } else {
        for change in changes {
          try write(change, isRaw: arguments.has(null), console)
        }
      }
    } catch {
      throw .output(error)
    }
    return code
  }

  private static func write(
    _ change: NoteChange, isRaw: Bool, _ console: Console
  ) throws(OutputError) {
    let letters = change.actions.map(\.letter).joined()
    if isRaw {
      let names = [change.oldPath, change.path].compactMap { $0 }
      try console.write(Array(([Array(letters.utf8)] + names).joined(separator: [0])) + [0])
    } else {
      let old = change.oldPath.map { "\(DisplayName($0).text) -> " } ?? ""
      let space = String(repeating: " ", count: max(1, 4 - letters.utf8.count))
      try console.writeLine("\(letters)\(space)\(old)\(DisplayName(change.path).text)")
    }
  }

  private static func writePatches(
    _ changes: [NoteChange], _ old: PastVault, _ new: PastVault, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let patch = try NotePatch(console)
    var reader: NoteReader
    do { reader = try NoteReader() } catch { throw .store(error) }
    let forTerminal = console.surroundings.outputIsTerminal
    var code = ExitCode.done
    for change in changes {
      do throws(CommandError) {
        let hasContent = change.actions.contains { $0 != .renamed && $0 != .mode }
        let before =
          try hasContent
          ? change.old.flatMap { (note) throws(CommandError) in
            try old.content(of: note, with: &reader, forTerminal: forTerminal)
          } : nil
        let after =
          try hasContent
          ? change.new.flatMap { (note) throws(CommandError) in
            try new.content(of: note, with: &reader, forTerminal: forTerminal)
          } : nil
        try patch.write(change, old: before, new: after)
      } catch {
        guard case .store(let cause) = error, cause != .interrupted else { throw error }
        console.error("\(DisplayName(change.path)): \(cause.text)")
        code = code.combined(with: cause.exitCodeOfReading)
      }
    }
    return code
  }
}

/// What `diff --json` reports: the object `vaulttool-diff/1` (spec/command-line.md).
struct DiffReport: Encodable {
  private struct Change: Encodable {
    let change: NoteChange

    private enum Key: String, CodingKey {
      case actions, note, from, oldBytes, newBytes
    }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(change.actions.map(\.rawValue), forKey: .actions)
      try object.encodeIfPresent((change.new ?? change.old)?.id.hex, forKey: .note)
      try object.encodeIfPresent(change.oldPath.map { JSONPath($0) }, forKey: .from)
      try object.encodeIfPresent(change.old?.record.contentByteCount, forKey: .oldBytes)
      try object.encodeIfPresent(change.new?.record.contentByteCount, forKey: .newBytes)
      try JSONPath(change.path).encode(to: encoder)
    }
  }

  private let schema = "vaulttool-diff/1"
  private let old: String
  private let new: String?
  private let changes: [Change]
  private let lockedCompartments: [String]

  init(_ changes: [NoteChange], from old: PastVault, to new: PastVault) {
    self.old = old.commit.map { "\($0)" } ?? ""
    self.new = new.commit.map { "\($0)" }
    self.changes = changes.map(Change.init)
    lockedCompartments = new.vault.lockedCompartments.map(\.hex)
  }
}
