import VaultFormat
import VaultStore

/// Writes contents to stdout, where nothing can be taken back.
struct CatOutput: ~Copyable {
  static let binary = OptionSpec.flag(
    "binary", help: "Write what is not plain text to a terminal, too.")

  private let vault: UnlockedVault
  private let files: NoteReaderFiles
  private var reader: NoteReader
  private let console: Console
  /// Whether contents that are not plain text are held back.
  private let isGuarded: Bool

  init(
    _ vault: UnlockedVault, _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) {
    do {
      let files = try NoteReaderFiles(vault.vault)
      let reader = try NoteReader()
      self.files = files
      self.reader = reader
    } catch {
      throw .store(error)
    }
    self.vault = vault
    self.console = console
    isGuarded = console.surroundings.outputIsTerminal && !arguments.has(Self.binary)
  }

  /// Writes the contents one after the other; one that cannot be read is named and does not keep others back.
  mutating func write(_ notes: [NoteInfo]) throws(CommandError) -> ExitCode {
    var code = ExitCode.done
    for note in notes {
      do throws(CommandError) {
        code = code.combined(with: try write(note))
      } catch {
        guard case .store(let cause) = error, cause != .interrupted else { throw error }
        console.error("\(DisplayName(note.shownPath)): \(cause.text)")
        if let hint = cause.hint { console.hint(hint) }
        code = code.combined(with: cause.exitCodeOfReading)
      }
    }
    return code
  }

  private mutating func write(_ note: NoteInfo) throws(CommandError) -> ExitCode {
    if isGuarded {
      var check = PlainTextCheck()
      try read(note) { (piece) throws(OutputError) in check.take(piece) }
      guard check.isPlainText else {
        console.error("\(DisplayName(note.shownPath)): not plain text, so not for a terminal")
        console.hint("'--binary' writes it all the same; or send the output to a file")
        return .failed
      }
    }
    let console = console
    try read(note) { (piece) throws(OutputError) in try console.write(piece) }
    return .done
  }

  private mutating func read(
    _ note: NoteInfo, into sink: (Span<UInt8>) throws(OutputError) -> Void
  ) throws(CommandError) {
    var refusal: OutputError?
    do throws(StoreError) {
      guard let compartment = vault.compartment(of: note) else {
        throw .noSuchNote(path: note.shownPath, near: nil)
      }
      try reader.read(try files.open(note), of: note, in: compartment, checking: .beforehand) {
        (piece) throws(StoreError) in
        if Interruption.isRequested { throw .interrupted }
        do throws(OutputError) { try sink(piece) } catch {
          refusal = error
          throw .interrupted
        }
      }
    } catch {
      if let refusal { throw .output(refusal) }
      throw .store(error)
    }
  }
}

/// Whether a content can be shown on a terminal: valid UTF-8 without control characters but tabs and line ends, which
/// could steer the terminal.
struct PlainTextCheck {
  private var isValid = true
  /// The beginning of a character whose end is in the next piece.
  private var carried: [UInt8] = []

  mutating func take(_ piece: Span<UInt8>) {
    guard isValid else { return }
    let bytes = carried + [UInt8](copying: piece)
    let cut = Self.completeCount(bytes)
    carried = Array(bytes[cut...])
    guard let text = String(validating: bytes[..<cut], as: UTF8.self) else {
      isValid = false
      return
    }
    isValid = text.unicodeScalars.allSatisfy { scalar in
      scalar.properties.generalCategory != .control || "\t\n\r\u{C}".unicodeScalars.contains(scalar)
    }
  }

  /// Asked when the content has ended.
  var isPlainText: Bool { isValid && carried.isEmpty }

  /// The bytes before a last character that may not be complete.
  private static func completeCount(_ bytes: [UInt8]) -> Int {
    for back in 1...3 where bytes.count >= back {
      let byte = bytes[bytes.count - back]
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if byte & 0xC0 != 0x80 { return length > back ? bytes.count - back : bytes.count }
    }
    return bytes.count
  }
}
