package import VaultFormat

/// Why a note could not be written: something about its source, which the others survive, or about the vault.
package enum NoteWriterFailure: Error, Equatable {
  case source(SourceScanProblem.Reason)
  case store(StoreError)

  /// A source file that the system would not give; where the process itself is at a limit, one error ends the run.
  init(reading error: SystemError, _ path: [UInt8]) {
    switch error {
    case .notRegular(let kind):
      self = kind == .folder || kind == .symlink ? .source(.vanished) : .source(.special(kind))
    case .failed(_, .tooManyOpenFiles), .failed(_, .tooManyOpenFilesInSystem),
      .failed(_, .outOfMemory):
      self = .store(.system(error, path: path))
    case .failed(_, .notFound), .failed(_, .notAFolder), .failed(_, .link):
      self = .source(.vanished)
    default: self = .source(.unreadable(error))
    }
  }
}

/// What a note is made of besides its content.
package struct NoteWriterFacts: Equatable, Sendable {
  package let type: ContentType
  /// Of the source while it was read.
  package let status: FileStatus
  /// When the source was made, where the system knows.
  package let created: FileTime?
  package let contentByteCount: UInt64
  package let payloadByteCount: UInt64
  package let compression: Compression

  /// The content record, for the header and the index (spec §6.1).
  /// - Parameter older: the record of the note before; what it was made from may have been made anew since.
  func record(path: [UInt8], older: ContentRecord?) throws(FormatError) -> ContentRecord {
    var created: Timestamp?
    if let time = self.created { created = try Timestamp(time) }
    if let before = older?.created { created = min(before, created ?? before) }
    return try ContentRecord(
      type: type, mediaType: type == .file ? MediaType.ofFile(at: path) : nil,
      contentByteCount: contentByteCount, payloadByteCount: payloadByteCount,
      compression: compression, created: created, modified: try Timestamp(status.modified),
      permissions: type == .link ? nil : UInt16(status.mode & 0o777),
      laterKeys: LaterKeys())
  }
}

extension Timestamp {
  init(_ time: FileTime) throws(FormatError) {
    try self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }
}

/// A content that was read whole, with its payload padded: all that needs no key is done.
package struct NoteWriterContent: Sendable {
  package let facts: NoteWriterFacts
  /// Payload and padding (spec §6.2).
  package let stream: [UInt8]
}

/// A note that lies sealed in the folder of a run.
package struct SealedNote: Sendable {
  package let id: NoteID
  package let digest: Digest
  /// Of the sealed file.
  package let byteCount: UInt64
  package let record: ContentRecord
  /// Of the source while it was read.
  package let status: FileStatus
}
