import VaultFormat
import VaultStore

/// `log`: the history of one note in git, by its name.
package enum LogCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let path = OperandSpec("PATH")
  private static let patch = OptionSpec.flag(
    "patch", short: "p", help: "Show what each commit changed in the note, as 'diff -u' does.")
  private static let most = OptionSpec.value(
    "max-count", "N", help: "Show the newest N commits only.")
  private static let json = OptionSpec.flag("json", help: "Print the history as one JSON object.")

  package static let spec = CommandSpec(
    name: "log", summary: "Show which git commits touched a note, and what they did to it.",
    operands: [vault, path], options: [patch, most, json] + SecretSources.severalOptions,
    notes: [
      "PATH is the note's present name, or one that it had earlier, or that of a deleted note. "
        + "Renames are followed, because the index tells them. The newest commit comes first.",
      "What a compaction repeats is no change. Commits of other branches are not shown.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool log ~/notes.vault Journal/2024.md", "when it was changed, and by whom"),
      .init("vaulttool log -p --max-count 3 ~/notes.vault todo.md", "the last three, with texts"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    if arguments.has(json), arguments.has(patch) {
      throw .usage(.conflictingOptions(json.name, patch.name))
    }
    let limit: Int
    do { limit = try Self.limit(arguments) } catch { throw .usage(error) }
    let access = try PastAccess(at: arguments.operand(vault), arguments, console)
    var log: NoteLog?
    do {
      if let head = try access.place.head() {
        log = try NoteLog(of: arguments.operand(path), from: head, access)
      }
    } catch let error as GitStateError {
      throw error.asCommandError
    } catch {
      throw error as? CommandError ?? .store(.changedMeanwhile)
    }
    guard let log else {
      throw .refused("nothing is committed here yet", .failed, hint: nil)
    }
    if log.unusableCount > 0 {
      console.warn("\(log.unusableCount) segments of the history are damaged; they say nothing")
    }
    if access.place.clone == .shallow {
      console.note("this clone is shallow: what came before its oldest commit is not shown")
    }
    let entries = Array(log.entries.prefix(limit))
    let facts: [CommitFacts]
    do { facts = try CommitFacts.of(entries.map(\.commit), at: access.place) } catch {
      throw error.asCommandError
    }
    if entries.isEmpty { console.note("no commit has this note yet") }
    if arguments.has(json) {
      do {
        try console.write(JSONText.encode(LogReport(Array(zip(entries, facts)))))
      } catch {
        throw .output(error)
      }
      return log.unusableCount > 0 ? .damaged : .done
    }
    var writer = try LogWriter(log, showsPatches: arguments.has(patch), console)
    let code = try writer.write(Array(zip(entries, facts)))
    return log.unusableCount > 0 ? code.combined(with: .damaged) : code
  }

  private static func limit(_ arguments: ArgumentReader) throws(UsageError) -> Int {
    guard let text = arguments.value(of: most) else { return .max }
    guard let number = Int(String(decoding: text, as: UTF8.self)), number > 0 else {
      throw .invalidValue(option: most.name, expected: "a number from 1 up")
    }
    return number
  }
}

/// Writes a note's history for people.
struct LogWriter: ~Copyable {
  private let log: NoteLog
  private let patch: NotePatch?
  private var reader: NoteReader
  private let console: Console

  init(_ log: NoteLog, showsPatches: Bool, _ console: Console) throws(CommandError) {
    let patch = showsPatches ? try NotePatch(console) : nil
    let reader: NoteReader
    do { reader = try NoteReader() } catch { throw .store(error) }
    self.log = log
    self.patch = patch
    self.reader = reader
    self.console = console
  }

  mutating func write(_ entries: [(NoteLog.Entry, CommitFacts)]) throws(CommandError) -> ExitCode {
    var code = ExitCode.done
    for (position, (entry, facts)) in entries.enumerated() {
      do {
        if position > 0 { try console.writeLine("") }
        try writeHead(entry, facts)
      } catch {
        throw .output(error)
      }
      code = code.combined(with: try writePatches(entry))
    }
    return code
  }

  private func writeHead(
    _ entry: NoteLog.Entry, _ facts: CommitFacts
  ) throws(OutputError) {
    try console.writeLine("commit \(entry.commit)")
    try console.writeLine("Author: \(DisplayName(facts.author).text)")
    try console.writeLine("Date:   \(DisplayName(facts.date).text)")
    try console.writeLine("\n    \(DisplayName(facts.subject).text)\n")
    for event in entry.events {
      let old = event.oldPath.map { "\(DisplayName($0)) -> " } ?? ""
      let path = event.path.map { "\(DisplayName($0))" } ?? event.note.hex
      try console.writeLine("\(event.action.rawValue) \(old)\(path)")
    }
  }

  /// The contents that a commit changed, each note once.
  private mutating func writePatches(_ entry: NoteLog.Entry) throws(CommandError) -> ExitCode {
    guard let patch else { return .done }
    var code = ExitCode.done
    var seen: Set<NoteID> = []
    for event in entry.events where seen.insert(event.note).inserted {
      let events = entry.events.filter { $0.note == event.note }
      guard events.contains(where: { $0.action != .renamed && $0.action != .mode }),
        let path = events.last?.path
      else { continue }
      let oldPath = events.compactMap(\.oldPath).first ?? path
      let id = entry.commit.text
      let forTerminal = console.surroundings.outputIsTerminal
      do throws(CommandError) {
        let old = try log.version(
          of: event.note, in: id + Array("^1".utf8), path: oldPath, with: &reader,
          forTerminal: forTerminal)
        let new = try log.version(
          of: event.note, in: id, path: path, with: &reader, forTerminal: forTerminal)
        guard old != nil || new != nil else { continue }
        do { try console.writeLine("") } catch { throw .output(error) }
        try patch.write(
          NoteChange(old: old?.note, new: new?.note), old: old?.content, new: new?.content)
      } catch {
        guard case .store(let cause) = error, cause != .interrupted else { throw error }
        console.error("\(DisplayName(path)) in \(entry.commit): \(cause.text)")
        code = code.combined(with: cause.exitCodeOfReading)
      }
    }
    return code
  }
}

/// What `log --json` reports: the object `vaulttool-log/1` (spec/command-line.md).
struct LogReport: Encodable {
  private struct Commit: Encodable {
    let commit: String
    let author: String
    let date: String
    let subject: String
    let changes: [Change]
  }

  private struct Change: Encodable {
    let event: NoteHistory.Event

    private enum Key: String, CodingKey { case action, note, from }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(event.action.rawValue, forKey: .action)
      try object.encode(event.note.hex, forKey: .note)
      try object.encodeIfPresent(event.oldPath.map { JSONPath($0) }, forKey: .from)
      if let path = event.path { try JSONPath(path).encode(to: encoder) }
    }
  }

  private let schema = "vaulttool-log/1"
  private let commits: [Commit]

  init(_ entries: [(NoteLog.Entry, CommitFacts)]) {
    commits = entries.map { entry, facts in
      Commit(
        commit: "\(entry.commit)", author: DisplayName(facts.author).text,
        date: DisplayName(facts.date).text, subject: DisplayName(facts.subject).text,
        changes: entry.events.map(Change.init))
    }
  }
}
