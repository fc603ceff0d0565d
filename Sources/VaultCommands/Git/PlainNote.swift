import VaultFormat
import VaultStore

/// The content of a note in memory, for a program that compares two of them.
final class PlainNote {
  /// What is not compared as text, however long it is.
  private static let mostByteCount: UInt64 = 64 << 20
  /// How far a NUL is looked for, as git does.
  private static let lookedAt = 8_000

  /// The most bytes that the sealed file of such a note can have.
  static let mostSealedByteCount = 80 << 20

  let memory: MemoryFile
  /// Whether it can be compared line by line, and shown.
  private(set) var isText: Bool

  /// Nothing: what a new note was before.
  init() throws(StoreError) {
    do { memory = try MemoryFile() } catch { throw .system(error, path: []) }
    isText = true
  }

  /// Decrypts a note.
  /// - Parameter forTerminal: what could steer a terminal is not called text then.
  init(
    _ note: NoteInfo, from file: consuming FileDescriptor, in compartment: UnlockedCompartment,
    with reader: inout NoteReader, forTerminal: Bool
  ) throws(StoreError) {
    do { memory = try MemoryFile() } catch { throw .system(error, path: []) }
    isText = note.record.type != .folder
    guard isText else { return }
    isText = try fill(file, note, compartment, &reader, forTerminal: forTerminal)
  }

  /// Writes the content to memory.
  /// - Returns: whether it is text.
  private func fill(
    _ file: consuming FileDescriptor, _ note: NoteInfo, _ compartment: UnlockedCompartment,
    _ reader: inout NoteReader, forTerminal: Bool
  ) throws(StoreError) -> Bool {
    var check = PlainTextCheck()
    var seen = 0
    var hasZero = false
    try reader.read(file, of: note, in: compartment, checking: .alongside) {
      (piece) throws(StoreError) in
      if Interruption.isRequested { throw .interrupted }
      if forTerminal { check.take(piece) }
      for index in 0..<min(piece.count, max(0, Self.lookedAt - seen)) where piece[index] == 0 {
        hasZero = true
      }
      seen += piece.count
      do throws(SystemError) { try memory.write(piece) } catch {
        throw .system(error, path: Layout.notePath(note.id))
      }
    }
    return !hasZero && (!forTerminal || check.isPlainText)
  }

  /// Whether a note is short enough for this.
  static func canHold(_ note: NoteInfo) -> Bool {
    note.record.contentByteCount <= mostByteCount
      && note.sealedByteCount <= UInt64(mostSealedByteCount)
  }
}
