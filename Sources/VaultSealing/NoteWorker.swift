import VaultCrypto
package import VaultFormat

/// Seals and opens notes, one after the other: heads here, chunks in `chunks`. Keep one per worker;
/// its memory for keys and contexts is reused (spec §6).
package struct NoteWorker: ~Copyable, Sendable {
  /// Seals and opens the chunks of the stream that `begin` was last called with.
  package var chunks: ChunkCipher
  var fileKeys: FileKeys
  /// What `fileKeys` were derived from.
  private var current: (compartment: CompartmentID, prefix: [UInt8])?

  /// - Throws: `crypto`.
  package init() throws(SealingError) {
    let chunks = try ChunkCipher()
    let fileKeys = try FileKeys()
    self.chunks = chunks
    self.fileKeys = fileKeys
  }

  /// Turns `chunks` to a stream. Every worker that takes part in a file calls this.
  ///
  /// - Throws: `crypto`.
  package mutating func begin(
    _ stream: NoteStream, keys: borrowing CompartmentKeys
  ) throws(SealingError) {
    try derive(for: stream.head, keys)
    do { try chunks.begin(stream, keys: fileKeys) } catch { throw .crypto(error) }
  }

  /// Turns `chunks` to a file whose header may not be known: only for salvage.
  ///
  /// - Parameter headerTag: the 16 bytes that the chunks are taken to be bound to.
  /// - Throws: `crypto`.
  package mutating func begin(
    _ head: SealedFileHead, headerTag: [UInt8], keys: borrowing CompartmentKeys
  ) throws(SealingError) {
    try derive(for: head, keys)
    do { try chunks.begin(head, headerTag: headerTag, keys: fileKeys) } catch {
      throw .crypto(error)
    }
  }

  // MARK: - Sealing

  /// Makes everything before chunk 0, and reads it back once. Call `begin` before the chunks.
  ///
  /// - Throws: `format` for terms that the format refuses, `crypto`, `selfCheckFailed`.
  package mutating func sealHead(
    _ header: NoteHeader, terms: SealedHeadTerms, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> SealedHead {
    let plaintext = header.encoded()
    let compartment = keys.compartmentID
    let head = try lifting(SealingError.format) { () throws(FormatError) in
      try SealedFileHead(
        compartment: compartment, noteID: terms.noteID, salt: terms.salt,
        chunkSizeLog2: terms.chunkSizeLog2, baseNonce: terms.baseNonce,
        headerBoxByteCount: plaintext.count + Limits.boxOverhead, laterKeys: terms.laterKeys)
    }
    try derive(for: head, keys)
    let context = head.prefix + fileKeys.commitment.bytes
    let box: [UInt8]
    do throws(CryptoError) {
      try fileKeys.useHeaderKey(in: &chunks.aead)
      box = try SealedBox.seal(
        plaintext.span, nonce: terms.headerNonce, label: Label.header.bytes,
        context: context.span, with: &chunks.aead)
    } catch {
      throw .crypto(error)
    }
    let sealed = SealedHead(
      bytes: context + box,
      stream: try NoteStream(head: head, header: header, headerBox: box.span))
    let opened = try openHead(sealed.bytes.span, noteID: terms.noteID, keys: keys)
    guard opened.header == header, opened.streamAsStated == sealed.stream else {
      throw .selfCheckFailed
    }
    return sealed
  }

  // MARK: - Opening

  /// Opens the head of a sealed file, of which `file` holds at least everything before chunk 0.
  ///
  /// - Parameter noteID: the note that belongs in the file's place.
  /// - Throws: `format`; `otherCompartment`, `otherNote`; `commitmentMismatch` for another key or
  ///   damage before the header, `headerNotAuthentic` for damage of the header; `crypto`.
  package mutating func openHead(
    _ file: Span<UInt8>, noteID: NoteID, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> OpenedHead {
    let (head, commitment) = try parse(file)
    guard head.compartment == keys.compartmentID else {
      throw .otherCompartment(expected: keys.compartmentID, found: head.compartment)
    }
    guard head.noteID == noteID else { throw .otherNote(expected: noteID, found: head.noteID) }
    try derive(for: head, keys)
    guard areEqualInConstantTime(fileKeys.commitment, commitment) else {
      throw .commitmentMismatch
    }
    let box = file.extracting(head.headerBoxRange)
    let plaintext = try openHeader(box, context: file.extracting(..<head.headerBoxRange.lowerBound))
    let header = try lifting(SealingError.format) { () throws(FormatError) in
      try NoteHeader(decoding: plaintext.span)
    }
    return OpenedHead(
      head: head, header: header,
      streamAsStated: try NoteStream(head: head, header: header, headerBox: box))
  }

  private func parse(
    _ file: Span<UInt8>
  ) throws(SealingError) -> (head: SealedFileHead, commitment: Commitment) {
    do throws(FormatError) {
      var reader = ByteReader(file)
      let head = try SealedFileHead(parsing: &reader)
      let commitment = try Commitment(parsing: &reader, as: "commitment")
      _ = try reader.bytes(head.headerBoxByteCount, as: "header box")
      return (head, commitment)
    } catch {
      throw .format(error)
    }
  }

  mutating func openHeader(
    _ box: Span<UInt8>, context: Span<UInt8>
  ) throws(SealingError) -> [UInt8] {
    var plaintext = [UInt8](repeating: 0, count: box.count - Limits.boxOverhead)
    var output = plaintext.mutableSpan
    do throws(CryptoError) {
      try fileKeys.useHeaderKey(in: &chunks.aead)
      try SealedBox.open(
        box, label: Label.header.bytes, context: context, with: &chunks.aead, into: &output)
    } catch .authenticationFailed {
      throw .headerNotAuthentic
    } catch {
      throw .crypto(error)
    }
    return plaintext
  }

  // MARK: - Both

  /// Derives the file's keys, unless they are those of the file before.
  mutating func derive(
    for head: SealedFileHead, _ keys: borrowing CompartmentKeys
  ) throws(SealingError) {
    if let current, current.compartment == keys.compartmentID, current.prefix == head.prefix {
      return
    }
    current = nil
    try fileKeys.derive(from: keys, prefix: head.prefix.span)
    current = (keys.compartmentID, head.prefix)
  }
}
