import VaultCrypto
package import VaultFormat

/// A segment whose signature holds and whose signer is that of its compartment.
package struct VerifiedSegment: Hashable, Sendable {
  /// The front of the SHA-256 of the whole file; the file's name has to be the same.
  package let id: SegmentID
  /// Where the parts of the file lie.
  package let file: SegmentFile
  /// What it says to everyone.
  package let lists: SegmentLists
}

/// Reads segments: without a secret up to the lists, with the keys up to the body (spec §7).
package enum SegmentOpening {
  // MARK: - Keyless

  /// Checks the signature and gives the lists.
  ///
  /// The segment's VAULT digest (`file.head.vaultDigest`) and its name are left to the caller.
  /// - Parameter omittingNotes: checks the entries of notes like all others, and does not keep them.
  /// - Throws: `format`, `signerDoesNotFit`, `signatureInvalid`, `handOverInvalid`;
  ///   `format(newerFeature)` only where
  ///   the signature holds; `crypto`.
  package static func verify(
    _ bytes: Span<UInt8>, vaultID: VaultID, omittingNotes: Bool = false
  ) throws(SealingError) -> VerifiedSegment {
    let file = try lifting(SealingError.format) { () throws(FormatError) in
      try SegmentFile(decoding: bytes)
    }
    let digest = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try SHA512.digest(bytes.extracting(file.signedRange))
    }
    try check(
      file.head, signedDigest: digest, signature: bytes.extracting(file.signatureRange),
      vaultID: vaultID)
    var lists = [UInt8](copying: bytes.extracting(file.maskedListsRange))
    let id = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try mask(&lists, salt: file.head.salt)
      return Digest(try SHA256.digest(bytes)).segmentID
    }
    return VerifiedSegment(
      id: id, file: file,
      lists: try lifting(SealingError.format) { () throws(FormatError) in
        try SegmentLists(decoding: lists.span, omittingNotes: omittingNotes)
      })
  }

  /// Checks that the signer is that of the compartment, the signature, and that no feature is new.
  ///
  /// This is all that `verify` asks of a head, for a file that is hashed in pieces.
  /// - Parameters:
  ///   - signedDigest: the SHA-512 of everything before the signature.
  ///   - signature: the last 64 bytes of the file.
  /// - Throws: `signerDoesNotFit`, `signatureInvalid`, `handOverInvalid`; `format(newerFeature)` only
  ///   where the signature holds; `crypto`.
  package static func check(
    _ head: SegmentHead, signedDigest: [UInt8], signature: Span<UInt8>, vaultID: VaultID
  ) throws(SealingError) {
    let compartment = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try CompartmentKeys.compartmentID(vaultID: vaultID, signer: head.signer)
    }
    guard compartment == head.compartment else {
      throw .signerDoesNotFit(compartment: head.compartment)
    }
    let isSigned = try lifting(SealingError.crypto) { () throws(CryptoError) in
      let message = signedMessage(digest: signedDigest)
      return try Ed25519.isValid(
        signature: signature, message: message.span, publicKey: Digest32(head.signer))
    }
    guard isSigned else { throw .signatureInvalid }
    try HandOver.check(head, vaultID: vaultID)
    try lifting(SealingError.format) { () throws(FormatError) in try head.checkFeatures() }
  }

  /// What the signature is over: a label and the SHA-512 of everything before the signature.
  static func signedMessage(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    signedMessage(digest: try SHA512.digest(bytes))
  }

  private static func signedMessage(digest: [UInt8]) -> [UInt8] {
    Label.segmentSignature.followed(by: digest)
  }

  /// Masks the lists, or takes the mask off again.
  static func mask(_ lists: inout [UInt8], salt: Salt) throws(CryptoError) {
    let key = try SHA256.digest(Label.mask.followed(by: salt.bytes).span)
    var bytes = lists.mutableSpan
    try AES256CTR.xor(key: key.span, with: &bytes)
  }

  // MARK: - Keyed

  /// Opens the box of a verified segment, of which `bytes` is the whole file.
  ///
  /// - Throws: `otherCompartment`, `commitmentMismatch`, `boxNotAuthentic`; `format` for a body that
  ///   does not fit the entries; `zstd`, `crypto`. Paths are not checked here, so that one that
  ///   must not be used does not hide the other notes of a segment: `SafePath.check` comes with use.
  package static func openBox(
    of segment: VerifiedSegment, _ bytes: Span<UInt8>, keys: borrowing CompartmentKeys,
    expandingWith decompressor: inout ZstdDecompressor
  ) throws(SealingError) -> SegmentBody {
    let file = segment.file
    guard file.head.compartment == keys.compartmentID else {
      throw .otherCompartment(expected: keys.compartmentID, found: file.head.compartment)
    }
    let stated = try lifting(SealingError.format) { () throws(FormatError) in
      try Commitment(copying: bytes.extracting(file.commitmentRange))
    }
    let context = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try SHA256.digest(file.head.prefix.span).bytes
    }
    let commitment: Commitment = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try keys.expandPublic(.segmentCommitment, context: context)
    }
    guard areEqualInConstantTime(commitment, stated) else { throw .commitmentMismatch }
    let plaintext = try open(file, bytes, keys, context)
    return try expand(plaintext, segment.lists, with: &decompressor)
  }

  private static func open(
    _ file: SegmentFile, _ bytes: Span<UInt8>, _ keys: borrowing CompartmentKeys,
    _ context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    let box = bytes.extracting(file.boxRange)
    var plaintext = [UInt8](repeating: 0, count: box.count - Limits.boxOverhead)
    var output = plaintext.mutableSpan
    do throws(CryptoError) {
      var aead = try AEAD()
      try aead.setKey(try keys.expandKey(.segmentKey, context: context))
      try SealedBox.open(
        box, label: Label.segment.bytes, context: bytes.extracting(file.authenticatedRange),
        with: &aead, into: &output)
    } catch .authenticationFailed {
      throw .boxNotAuthentic
    } catch {
      throw .crypto(error)
    }
    return plaintext
  }

  private static func expand(
    _ plaintext: [UInt8], _ lists: SegmentLists, with decompressor: inout ZstdDecompressor
  ) throws(SealingError) -> SegmentBody {
    let entries = lists.entries
    let frame = try lifting(SealingError.format) { () throws(FormatError) in
      try SegmentBoxFrame(decoding: plaintext.span, entryCount: entries.count)
    }
    let stored = plaintext.span.extracting(frame.bodyRange)
    switch frame.compression {
    case .none:
      return try lifting(SealingError.format) { () throws(FormatError) in
        try SegmentBody(decoding: stored, entries: entries)
      }
    case .zstd:
      var body = [UInt8](repeating: 0, count: frame.expandedByteCount)
      var output = body.mutableSpan
      do { try decompressor.expand(stored, filling: &output) } catch { throw .zstd(error) }
      return try lifting(SealingError.format) { () throws(FormatError) in
        try SegmentBody(decoding: body.span, entries: entries)
      }
    }
  }

  static func checkPaths(_ body: SegmentBody) throws(SealingError) {
    do {
      for item in body.items {
        if let place = item.place { try SafePath.check(place.path) }
      }
    } catch {
      throw .format(error)
    }
  }
}
