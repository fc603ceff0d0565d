import VaultCrypto

/// Entropy and checksum of a phrase as one row of bits, 11 for each word, front to back and padded
/// with zeros to a whole byte (spec §5.7).
struct PhraseBits: ~Copyable {
  private static let bitsPerWord = 11

  private let bytes: SecretBytes
  private let wordCount: Int

  /// Entropy of 4 bytes for every 3 words, followed by the first bits of its SHA-256: one for every
  /// 3 words.
  init(entropy: borrowing SecretBytes) throws(PhraseError) {
    let count = entropy.count
    let checksum = try Self.checksum(of: entropy)
    var bytes = try Self.secret(count: count + 1)
    bytes.withMutableBytes { bytes in
      entropy.withBytes { entropy in
        for offset in entropy.indices { bytes[offset] = entropy[offset] }
      }
      bytes[count] = checksum
    }
    self.bytes = bytes
    self.wordCount = count / 4 * 3
  }

  /// The bits of a folded text whose words are all known.
  init(recognisedWords text: Span<UInt8>, count wordCount: Int) throws(PhraseError) {
    var bytes = try Self.secret(count: wordCount / 3 * 4 + 1)
    bytes.withMutableBytes { bytes in
      var scanner = PhraseWordScanner(text)
      var bit = 0
      while let range = scanner.next() {
        let index = EnglishWordList.index(ofWordOrPrefix: text.extracting(range))
        precondition(index != nil, "the caller checked every word")
        for shift in (0..<Self.bitsPerWord).reversed() {
          bytes[bit / 8] |= UInt8((index ?? 0) >> shift & 1) << UInt8(7 - bit % 8)
          bit += 1
        }
      }
    }
    self.bytes = bytes
    self.wordCount = wordCount
  }

  /// Whether the last bits are the checksum of those before.
  func hasRightChecksum() throws(PhraseError) -> Bool {
    let expected = try Self.checksum(of: entropy())
    return bytes.withBytes { $0[$0.count - 1] == expected }
  }

  /// The bits without the checksum.
  func entropy() throws(PhraseError) -> SecretBytes {
    try bytes.withBytes { bytes throws(PhraseError) in
      do throws(CryptoError) {
        return try SecretBytes(copying: bytes.extracting(droppingLast: 1))
      } catch {
        throw .crypto(error)
      }
    }
  }

  /// The words, joined by one space.
  func words() throws(PhraseError) -> SecretBytes {
    var byteCount = wordCount - 1
    forEachWord { byteCount += $0.count }
    var phrase = try Self.secret(count: byteCount)
    phrase.withMutableBytes { phrase in
      var offset = 0
      forEachWord { word in
        if offset > 0 {
          phrase[offset] = 0x20
          offset += 1
        }
        for letter in word.indices { phrase[offset + letter] = word[letter] }
        offset += word.count
      }
    }
    return phrase
  }

  private func forEachWord(_ body: (Span<UInt8>) -> Void) {
    bytes.withBytes { bytes in
      for word in 0..<wordCount {
        let bits = word * Self.bitsPerWord..<(word + 1) * Self.bitsPerWord
        let index = bits.reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
        EnglishWordList.withWord(at: index, body)
      }
    }
  }

  /// The first bits of the SHA-256 of entropy, one for each 4 bytes, at the high end of a byte.
  private static func checksum(of entropy: borrowing SecretBytes) throws(PhraseError) -> UInt8 {
    let bitCount = entropy.count / 4
    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bitCount)
    do {
      return try entropy.withBytes { bytes throws(CryptoError) in
        try SHA256.digest(bytes).span[0] & mask
      }
    } catch {
      throw .crypto(error)
    }
  }

  private static func secret(count: Int) throws(PhraseError) -> SecretBytes {
    do { return try SecretBytes(count: count) } catch { throw .crypto(error) }
  }
}
