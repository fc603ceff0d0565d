package import VaultCrypto

/// Whether a public text gives a passphrase away.
package enum PassphraseDisclosure {
  /// Whether the text holds the passphrase, however either is normalised and whatever the letter case: whoever
  /// reads the text then needs no more than a few guesses.
  ///
  /// - Parameter passphrase: as prepared (spec §5.6).
  /// - Throws: `memoryUnavailable`.
  package static func isIn(
    _ text: String, passphrase: borrowing SecretBytes
  ) throws(CryptoError) -> Bool {
    let text = try folded(Array(text.utf8).span)
    let secret = try passphrase.withBytes { bytes throws(CryptoError) in try folded(bytes) }
    return text.withBytes { text in
      secret.withBytes { secret in
        guard !secret.isEmpty, secret.count <= text.count else { return false }
        return (0...(text.count - secret.count)).contains { start in
          secret.indices.allSatisfy { secret[$0] == text[start + $0] }
        }
      }
    }
  }

  private static func folded(_ text: Span<UInt8>) throws(CryptoError) -> SecretBytes {
    var scalars = try UnicodeSecretScalars(decomposing: text, .caseless)
    scalars.replaceEach { UnicodeLists.isSpaceSeparator($0) ? 0x20 : $0 }
    return try scalars.utf8()
  }
}
