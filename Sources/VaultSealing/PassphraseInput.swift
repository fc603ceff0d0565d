package import VaultCrypto

/// Takes a passphrase out of a file, a pipe or a descriptor that was read to its end.
package enum PassphraseInput {
  /// The content without one final LF or CR LF. Nothing else is changed: spaces at the ends stay,
  /// so that file, pipe and prompt give the same key (spec §5.6).
  ///
  /// - Throws: `tooLong` above `PassphrasePreparation.maximumRawByteCount` and a line end, `empty`,
  ///   `byteOrderMark`, `secondLine` and `strayCarriageReturn` for line ends that are left.
  package static func fromFile(
    _ content: borrowing SecretBytes
  ) throws(PassphraseError) -> SecretBytes {
    try content.withBytes { bytes throws(PassphraseError) in
      let line = bytes.extracting(first: try lineByteCount(of: bytes))
      do throws(CryptoError) {
        return try SecretBytes(copying: line)
      } catch {
        throw .crypto(error)
      }
    }
  }

  private static func lineByteCount(of content: Span<UInt8>) throws(PassphraseError) -> Int {
    var end = content.count
    if end > 0, content[end - 1] == 0x0A {
      end -= 1
      if end > 0, content[end - 1] == 0x0D { end -= 1 }
    }
    guard end > 0 else { throw .empty }
    guard end <= PassphrasePreparation.maximumRawByteCount else {
      throw .tooLong(found: end, limit: PassphrasePreparation.maximumByteCount)
    }
    if end >= 3, content[0] == 0xEF, content[1] == 0xBB, content[2] == 0xBF {
      throw .byteOrderMark
    }
    for offset in 0..<end {
      if content[offset] == 0x0A { throw .secondLine }
      let endsLine = offset + 1 < end && content[offset + 1] == 0x0A
      if content[offset] == 0x0D, !endsLine { throw .strayCarriageReturn(offset: offset) }
    }
    return end
  }
}
