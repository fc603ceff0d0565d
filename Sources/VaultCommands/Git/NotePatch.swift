import VaultFormat
import VaultStore

/// Shows what changed in a note as GNU `diff -u` shows it. Plain text reaches that program in memory only.
struct NotePatch {
  private let program: [UInt8]
  private let console: Console

  /// - Throws: `refused` where there is no `diff`.
  init(_ console: Console) throws(CommandError) {
    guard let program = ChildProgram.find("diff") else {
      throw .refused(
        "there is no program 'diff' in PATH", .failed, hint: "install GNU diffutils")
    }
    self.program = program
    self.console = console
  }

  /// Writes the change of one note.
  /// - Parameters:
  ///   - old: the content before; nil where the note was not there, or is too long for this.
  ///   - new: the same afterwards.
  func write(_ change: NoteChange, old: PlainNote?, new: PlainNote?) throws(CommandError) {
    for line in head(change) { try writeLine(line) }
    guard change.actions.contains(where: { [.added, .changed, .deleted].contains($0) }) else {
      return
    }
    let isText =
      (change.old == nil || old?.isText == true) && (change.new == nil || new?.isText == true)
    guard isText else { return try writeLine("binary: \(facts(change))") }
    let nothing: PlainNote
    do { nothing = try PlainNote() } catch { throw .store(error) }
    try compare(change, old ?? nothing, new ?? nothing)
  }

  private func head(_ change: NoteChange) -> [String] {
    let old = DisplayName(change.old?.shownPath ?? change.path).text
    let new = DisplayName(change.path).text
    var lines = ["diff a/\(old) b/\(new)"]
    if change.old == nil { lines.append("new \(kind(change.new))") }
    if change.new == nil { lines.append("deleted \(kind(change.old))") }
    if change.actions.contains(.renamed) { lines += ["rename from \(old)", "rename to \(new)"] }
    if change.actions.contains(.mode) {
      lines.append(change.new?.isExecutable == true ? "made executable" : "made not executable")
    }
    return lines
  }

  private func kind(_ note: NoteInfo?) -> String {
    switch note?.record.type {
    case .folder?: "folder"
    case .link?: "link"
    case .file?, nil: "note"
    }
  }

  private func facts(_ change: NoteChange) -> String {
    [change.old, change.new].map { note in
      guard let note else { return "none" }
      let type = note.record.mediaType.map { "\(DisplayName($0)), " } ?? ""
      return "\(type)\(note.record.contentByteCount) bytes"
    }.joined(separator: " -> ")
  }

  private func compare(
    _ change: NoteChange, _ old: PlainNote, _ new: PlainNote
  ) throws(CommandError) {
    let labels = [
      change.old.map { "a/\(DisplayName($0.shownPath).text)" } ?? "/dev/null",
      change.new.map { "b/\(DisplayName($0.shownPath).text)" } ?? "/dev/null",
    ]
    let words = ["-a", "-u", "-L", labels[0], "-L", labels[1], "--", "/dev/fd/3", "/dev/fd/4"]
    var call = ChildProgram.Call(
      words: [program] + words.map { Array($0.utf8) }, environment: [Array("LC_ALL=C".utf8)])
    call.descriptors = [old.memory.file.number, new.memory.file.number]
    var refusal: OutputError?
    let status: Int
    do {
      status = try ChildProgram.run(call, in: Array("/".utf8)) { piece in
        do throws(OutputError) { try console.write(piece) } catch { refusal = error }
        return refusal == nil ? .more : .stop
      }.status
    } catch {
      if let refusal { throw .output(refusal) }
      if error == .interrupted { throw .store(.interrupted) }
      throw .refused("'diff' could not be run", .failed, hint: nil)
    }
    guard [0, 1].contains(status) else { throw .refused("'diff' failed", .failed, hint: nil) }
  }

  private func writeLine(_ line: String) throws(CommandError) {
    do { try console.writeLine(line) } catch { throw .output(error) }
  }
}
