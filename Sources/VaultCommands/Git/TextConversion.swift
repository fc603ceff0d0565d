import VaultFormat
import VaultSealing
import VaultStore

/// One file that git hands over, on its way to text.
struct TextConversion {
  private let place: FilePlace
  private let keys: NoteKeys
  private let console: Console

  init(of place: FilePlace, _ keys: NoteKeys, _ console: Console) {
    self.place = place
    self.keys = keys
    self.console = console
  }

  /// Writes the text, or the line that stands for it.
  /// - Throws: `store` where there is no file that can be read; `output`.
  mutating func write() throws(CommandError) {
    let byteCount: UInt64
    let head: SealedFileHead
    do throws(StoreError) {
      let status: FileStatus
      do throws(SystemError) {
        guard let found = try place.status() else {
          throw SystemError(call: "open", code: .notFound)
        }
        status = found
      } catch {
        throw .system(error, path: place.name)
      }
      // git's name for a side that is not there is /dev/null.
      if status.kind == .characterDevice { return }
      byteCount = status.byteCount
      var scratch = RunBuffer()
      head = try SealedFileReader(try open(), path: place.name, scratch: &scratch).head
    } catch {
      guard case .damaged(_, let cause) = error else { throw .store(error) }
      return try line("not a sealed note: \(cause)")
    }
    let sealed = "sealed, \(byteCount) \(byteCount == 1 ? "byte" : "bytes")"
    guard let secret = keys.secret(of: head.compartment) else { return try line(sealed) }
    do throws(CommandError) {
      try write(head.noteID, secret)
    } catch {
      guard case .store(let cause) = error, cause != .interrupted else { throw error }
      try line("\(sealed), damaged: \(cause.text)")
    }
  }

  /// Reads the file twice: nothing of it is written before all of it was found to be authentic.
  private func write(_ note: NoteID, _ secret: CompartmentSecret) throws(CommandError) {
    var check = PlainTextCheck()
    var beginning: [UInt8] = []
    var refusal: OutputError?
    do throws(StoreError) {
      var reader = try NoteReader()
      let authentic = try reader.authenticate(try open(), note: note, keys: secret.keys) {
        (piece) throws(StoreError) in
        if Interruption.isRequested { throw .interrupted }
        check.take(piece)
        let room = Int(Limits.linkTargetByteCount.upperBound) - beginning.count
        beginning += [UInt8](copying: piece.extracting(first: room))
      }
      let record = authentic.header.content
      do throws(OutputError) {
        guard record.type == .file, check.isPlainText else {
          return try console.writeLine(record.text(linkTarget: beginning))
        }
      } catch {
        refusal = error
        throw .interrupted
      }
      let console = console
      _ = try reader.authenticate(try open(), note: note, keys: secret.keys) {
        (piece) throws(StoreError) in
        do throws(OutputError) { try console.write(piece) } catch {
          refusal = error
          throw .interrupted
        }
      }
    } catch {
      if let refusal { throw .output(refusal) }
      throw .store(error)
    }
  }

  private func open() throws(StoreError) -> FileDescriptor {
    do { return try place.open() } catch { throw .system(error, path: place.name) }
  }

  private func line(_ text: String) throws(CommandError) {
    do { try console.writeLine(text) } catch { throw .output(error) }
  }
}

extension ContentRecord {
  /// What is said of a note that is not shown as text.
  fileprivate func text(linkTarget: [UInt8]) -> String {
    let what =
      switch type {
      case .folder: "folder"
      case .link: "link to \(DisplayName(linkTarget).quoted)"
      case .file:
        "\(mediaType.map { DisplayName($0).description } ?? "not text"), \(contentByteCount) "
          + "\(contentByteCount == 1 ? "byte" : "bytes")"
      }
    let made = created.map { ", created \($0.utcText)" } ?? ""
    return "\(what), modified \(modified.utcText)\(made)"
  }
}
