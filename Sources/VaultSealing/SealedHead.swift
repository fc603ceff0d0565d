package import VaultFormat

/// What a new sealed file takes from outside (spec §6). Salt and nonces are random and fresh for
/// each sealing.
package struct SealedHeadTerms: Sendable {
  package let noteID: NoteID
  package let salt: Salt
  package let baseNonce: Nonce
  package let headerNonce: Nonce
  package let chunkSizeLog2: UInt8
  /// Keys of a later version for the public map, as carried over from the file before.
  package let laterKeys: LaterKeys

  package init(
    noteID: NoteID, salt: Salt, baseNonce: Nonce, headerNonce: Nonce, chunkSizeLog2: UInt8,
    laterKeys: LaterKeys
  ) {
    self.noteID = noteID
    self.salt = salt
    self.baseNonce = baseNonce
    self.headerNonce = headerNonce
    self.chunkSizeLog2 = chunkSizeLog2
    self.laterKeys = laterKeys
  }
}

/// The front of a new sealed file.
package struct SealedHead: Sendable {
  /// Everything before chunk 0: prefix, commitment and header box.
  package let bytes: [UInt8]
  /// What its chunks are sealed as.
  package let stream: NoteStream
}

/// The opened front of a sealed file.
package struct OpenedHead: Sendable {
  package let head: SealedFileHead
  /// Authentic, but its path was not checked to be safe.
  package let header: NoteHeader
  /// What the chunks are, whatever the file's byte count. Only for salvage: everyone else takes
  /// `stream(fileByteCount:)`.
  package let streamAsStated: NoteStream

  /// What the chunks of a file of that byte count are opened as.
  ///
  /// - Throws: `wrongFileByteCount` for any other than the header's payload gives.
  package func stream(fileByteCount: Int) throws(SealingError) -> NoteStream {
    let expected = streamAsStated.geometry.fileByteCount
    guard fileByteCount == expected else {
      throw .wrongFileByteCount(expected: expected, found: fileByteCount)
    }
    return streamAsStated
  }
}
