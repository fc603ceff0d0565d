import VaultFormat
import VaultStore

/// `ls`: the paths of the notes.
package enum ListCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let paths = OperandSpec("PATH", .any)
  private static let long = OptionSpec.flag(
    "long", short: "l", help: "Add type, size in bytes and time of the last change (UTC).")
  private static let null = OptionSpec.flag(
    "null", help: "End names with a zero byte and print them raw.")
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "ls", summary: "List the notes of a vault.",
    operands: [vault, paths], options: [long, null, json] + SecretSources.severalOptions,
    notes: [
      "With PATH, lists the notes at or below it.",
      "In names, control characters, invisible characters and bytes that are not UTF-8 are shown "
        + "escaped, and a backslash twice; --null and --json give names exactly.",
      "With --long the type is '-' for a file, 'd' for a folder and 'l' for a link, followed by "
        + "'x' if the file is executable.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool ls ~/notes.vault", "all paths"),
      .init("vaulttool ls --long ~/notes.vault Journal", "what is in one folder"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    for other in [long, null] where arguments.has(json) && arguments.has(other) {
      throw .usage(.conflictingOptions("json", other.name))
    }
    if arguments.has(long) && arguments.has(null) {
      throw .usage(.conflictingOptions("long", "null"))
    }
    let readable = try ReadableVault(at: arguments.operand(vault), arguments, console)
    let notes: [NoteInfo]
    do {
      notes = Self.once(try PathSelection(arguments.operands(paths), of: readable.vault).notes)
    } catch {
      throw .store(error)
    }
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(ListReport(notes, of: readable.vault)))
      } else if arguments.has(null) {
        for note in notes { try console.write(note.shownPath + [0]) }
      } else if arguments.has(long) {
        try writeLong(notes, console)
      } else {
        for note in notes { try console.writeLine(DisplayName(note.shownPath).text) }
      }
    } catch {
      throw .output(error)
    }
    return readable.exitCode
  }

  /// Folder notes with one path are one folder (spec §8.1); the one with the least id stands for them.
  private static func once(_ notes: [NoteInfo]) -> [NoteInfo] {
    notes.enumerated().filter { index, note in
      index == 0 || note.record.type != .folder || notes[index - 1].record.type != .folder
        || notes[index - 1].shownPath != note.shownPath
    }.map(\.element)
  }

  private static func writeLong(_ notes: [NoteInfo], _ console: Console) throws(OutputError) {
    let widest = notes.map(\.record.contentByteCount).max() ?? 0
    let width = String(widest).utf8.count
    for note in notes {
      let size = String(note.record.contentByteCount)
      let padding = String(repeating: " ", count: width - size.utf8.count)
      try console.writeLine(
        "\(letters(of: note))  \(padding)\(size)  \(note.record.modified.utcText)  "
          + DisplayName(note.shownPath).text)
    }
  }

  private static func letters(of note: NoteInfo) -> String {
    switch note.record.type {
    case .file: note.isExecutable ? "-x" : "- "
    case .folder: "d "
    case .link: "l "
    }
  }
}

/// What `ls --json` reports: the object `vaulttool-ls/1` (spec/command-line.md).
struct ListReport: Encodable {
  struct Note: Encodable {
    private enum Key: String, CodingKey {
      case id, type, bytes, modified, executable, mediaType
    }

    struct Time: Encodable {
      let seconds: Int64
      let nanoseconds: UInt32
    }

    let note: NoteInfo

    func encode(to encoder: any Encoder) throws {
      let record = note.record
      let type =
        switch record.type {
        case .file: "file"
        case .folder: "folder"
        case .link: "link"
        }
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(note.id.hex, forKey: .id)
      try container.encode(type, forKey: .type)
      try container.encode(record.contentByteCount, forKey: .bytes)
      try container.encode(
        Time(seconds: record.modified.seconds, nanoseconds: record.modified.nanoseconds),
        forKey: .modified)
      try container.encode(record.type == .file && note.isExecutable, forKey: .executable)
      try container.encodeIfPresent(record.mediaType, forKey: .mediaType)
      try JSONPath(note.shownPath).encode(to: encoder)
    }
  }

  let schema = "vaulttool-ls/1"
  let notes: [Note]
  let lockedCompartments: [String]
  let lockedNotes: Int

  init(_ notes: [NoteInfo], of vault: UnlockedVault) {
    self.notes = notes.map(Note.init)
    lockedCompartments = vault.lockedCompartments.map(\.hex)
    lockedNotes = vault.lockedNoteCount
  }
}
