import VaultCrypto
package import VaultFormat

/// What could be made of the front of a sealed file that may be damaged (spec §12.2).
package struct SalvagedHead: Sendable {
  /// A header that holds if a chunk opens with its tag: the box with the tag that its ciphertext has.
  package struct Retagged: Sendable {
    package let header: NoteHeader
    /// Everything before chunk 0 as it was sealed, if the header holds.
    package let front: [UInt8]
  }

  /// The public part, as stored or as rebuilt.
  package let head: SealedFileHead
  /// Everything before chunk 0, with the prefix and the commitment as they were sealed.
  package let front: [UInt8]
  /// Authentic; nil where the header box does not open.
  package let header: NoteHeader?
  /// What is left to try where the header box does not open.
  package let retagged: Retagged?
}

extension NoteWorker {
  /// Opens the front of a file as far as it can be, however damaged it is.
  ///
  /// - Parameters:
  ///   - file: at least everything before chunk 0, as far as the file has it.
  ///   - named: the note id that the file's name says.
  /// - Returns: nil where the file is no sealed file of these keys, or its prefix is lost.
  /// - Throws: `crypto`.
  package mutating func salvageHead(
    _ file: Span<UInt8>, named: NoteID?, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> SalvagedHead? {
    let stored = Self.storedHead(file)
    if let stored, stored.compartment == keys.compartmentID {
      if try commitmentHolds(for: stored, in: file, keys) {
        return try salvage(stored, file, keys)
      }
    }
    let rebuilt = RebuiltPrefixes(file, named: named, compartment: keys.compartmentID)
    for head in rebuilt.candidates where head.prefix != stored?.prefix {
      if try commitmentHolds(for: head, in: file, keys) {
        return try salvage(head, file, keys)
      }
    }
    guard let stored, stored.compartment == keys.compartmentID else { return nil }
    return try salvage(stored, file, keys)
  }

  private static func storedHead(_ file: Span<UInt8>) -> SealedFileHead? {
    var reader = ByteReader(file)
    // What is wrong with it does not matter: it is rebuilt or it is not.
    return try? SealedFileHead(parsing: &reader)
  }

  private func commitmentHolds(
    for head: SealedFileHead, in file: Span<UInt8>, _ keys: borrowing CompartmentKeys
  ) throws(SealingError) -> Bool {
    guard file.count >= head.commitmentRange.upperBound,
      let stored = try? Commitment(copying: file.extracting(head.commitmentRange))
    else { return false }
    do throws(CryptoError) {
      let context = try SHA256.digest(head.prefix.span).bytes
      let commitment: Commitment = try keys.expandPublic(.fileCommitment, context: context)
      return areEqualInConstantTime(commitment, stored)
    } catch {
      throw .crypto(error)
    }
  }

  private mutating func salvage(
    _ head: SealedFileHead, _ file: Span<UInt8>, _ keys: borrowing CompartmentKeys
  ) throws(SealingError) -> SalvagedHead {
    try derive(for: head, keys)
    let context = head.prefix + fileKeys.commitment.bytes
    guard file.count >= head.chunksOffset else {
      return SalvagedHead(
        head: head, front: context, header: nil, retagged: nil)
    }
    let box = [UInt8](copying: file.extracting(head.headerBoxRange))
    do throws(SealingError) {
      let plaintext = try openHeader(box.span, context: context.span)
      let header = try? NoteHeader(decoding: plaintext.span)
      return SalvagedHead(
        head: head, front: context + box, header: header, retagged: nil)
    } catch {
      guard case .headerNotAuthentic = error else { throw error }
    }
    return SalvagedHead(
      head: head, front: context + box, header: nil, retagged: try retag(box, context: context))
  }

  /// What the box says if only its tag was damaged. The plain text must not be used before a chunk has opened with the
  /// tag: sealing the ciphertext gives the plain text back, because both are combined with the same key stream.
  private mutating func retag(
    _ box: [UInt8], context: [UInt8]
  ) throws(SealingError) -> SalvagedHead.Retagged? {
    let ciphertext = Array(box[Limits.nonceByteCount...].dropLast(Limits.tagByteCount))
    do throws(CryptoError) {
      let nonce: Nonce
      do { nonce = try Nonce(copying: box.span.extracting(first: Limits.nonceByteCount)) } catch {
        return nil
      }
      try fileKeys.useHeaderKey(in: &chunks.aead)
      let opened = try SealedBox.seal(
        ciphertext.span, nonce: nonce, label: Label.header.bytes, context: context.span,
        with: &chunks.aead)
      let plaintext = Array(opened[Limits.nonceByteCount...].dropLast(Limits.tagByteCount))
      guard let header = try? NoteHeader(decoding: plaintext.span) else { return nil }
      let sealed = try SealedBox.seal(
        plaintext.span, nonce: nonce, label: Label.header.bytes, context: context.span,
        with: &chunks.aead)
      return SalvagedHead.Retagged(header: header, front: context + sealed)
    } catch {
      throw .crypto(error)
    }
  }
}
