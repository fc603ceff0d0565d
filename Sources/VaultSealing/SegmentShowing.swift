import VaultCrypto
package import VaultFormat

extension SegmentOpening {
  /// What a segment says, for showing it where nobody knows which vault it is from: nothing of it may be believed.
  package struct Shown: Sendable {
    package let id: SegmentID
    /// Whether the signature is one by the signer that the segment itself names.
    package let signatureHolds: Bool
    package let lists: SegmentLists
  }

  /// Reads the lists of a whole segment file.
  ///
  /// - Throws: `format`, `crypto`.
  package static func show(_ bytes: Span<UInt8>) throws(SealingError) -> Shown {
    let file = try lifting(SealingError.format) { () throws(FormatError) in
      try SegmentFile(decoding: bytes)
    }
    var lists = [UInt8](copying: bytes.extracting(file.maskedListsRange))
    let signatureHolds: Bool
    let id: SegmentID
    do throws(CryptoError) {
      let message = try signedMessage(bytes.extracting(file.signedRange))
      signatureHolds = try Ed25519.isValid(
        signature: bytes.extracting(file.signatureRange), message: message.span,
        publicKey: Digest32(file.head.signer))
      try mask(&lists, salt: file.head.salt)
      id = Digest(try SHA256.digest(bytes)).segmentID
    } catch {
      throw .crypto(error)
    }
    return Shown(
      id: id, signatureHolds: signatureHolds,
      lists: try lifting(SealingError.format) { () throws(FormatError) in
        try SegmentLists(decoding: lists.span)
      })
  }
}
