import CUtf8proc
import VaultCrypto

/// A secret text as code points, in memory that is wiped; the only code that calls libutf8proc.
///
/// The text is decomposed when it comes in, edited, composed again if need be, and leaves as UTF-8.
struct UnicodeSecretScalars: ~Copyable {
  /// A way of decomposing (Unicode Standard Annex 15).
  enum Decomposition {
    /// Canonical, as in NFD and NFC.
    case canonical
    /// Compatibility, as in NFKD.
    case compatibility
    /// Canonical, with letter case folded away, to see whether two texts are the same to a reader.
    case caseless
  }

  /// 32-bit code points in the machine's byte order, of which the first `count` are in use.
  private var storage: SecretBytes
  private var count: Int

  /// Decomposes well-formed UTF-8 and puts combining marks into canonical order.
  ///
  /// - Throws: `CryptoError` when there is no memory for secrets.
  init(decomposing text: Span<UInt8>, _ decomposition: Decomposition) throws(CryptoError) {
    let options =
      switch decomposition {
      case .canonical: Self.options(UTF8PROC_STABLE, UTF8PROC_DECOMPOSE)
      case .compatibility: Self.options(UTF8PROC_STABLE, UTF8PROC_DECOMPOSE, UTF8PROC_COMPAT)
      case .caseless: Self.options(UTF8PROC_STABLE, UTF8PROC_DECOMPOSE, UTF8PROC_CASEFOLD)
      }
    let needed = unsafe text.withUnsafeBufferPointer { text in
      unsafe utf8proc_decompose(text.baseAddress, text.count, nil, 0, options)
    }
    precondition(needed >= 0, "the caller checked that the text is UTF-8")
    var storage = try SecretBytes(count: max(1, needed) * Self.scalarByteCount)
    let written = unsafe text.withUnsafeBufferPointer { text in
      unsafe Self.withScalars(of: &storage) { scalars in
        unsafe utf8proc_decompose(
          text.baseAddress, text.count, scalars.baseAddress, scalars.count, options)
      }
    }
    precondition(written == needed, "decomposing the same text twice gives the same count")
    self.storage = storage
    self.count = needed
  }

  /// Replaces each code point by what the closure gives for it, or drops it for nil.
  mutating func replaceEach(_ replacement: (UInt32) -> UInt32?) {
    let count = count
    self.count = unsafe Self.withScalars(of: &storage) { scalars in
      var kept = 0
      for position in 0..<count {
        guard let scalar = replacement(unsafe UInt32(bitPattern: scalars[position])) else {
          continue
        }
        unsafe scalars[kept] = Int32(bitPattern: scalar)
        kept += 1
      }
      return kept
    }
  }

  /// Composes canonically, which turns a canonical decomposition into NFC.
  ///
  /// The text is composed piece by piece, each U+11A7 beginning a new piece. That code point
  /// composes with nothing, so the result is the same; libutf8proc (2.8) on the whole text would
  /// take it for an absent final consonant and drop it after a Hangul syllable without one.
  mutating func compose() {
    let count = count
    let options = Self.options(UTF8PROC_STABLE, UTF8PROC_COMPOSE)
    self.count = unsafe Self.withScalars(of: &storage) { scalars in
      var kept = 0
      var start = 0
      while start < count {
        var end = start + 1
        while end < count, unsafe scalars[end] != 0x11A7 { end += 1 }
        let piece = unsafe UnsafeMutableBufferPointer(rebasing: scalars[start..<end])
        let composed = unsafe utf8proc_normalize_utf32(piece.baseAddress, piece.count, options)
        precondition((0...piece.count).contains(composed), "composing never lengthens a text")
        for position in 0..<composed { unsafe scalars[kept + position] = piece[position] }
        kept += composed
        start = end
      }
      return kept
    }
  }

  /// The text as UTF-8, in secret memory of exactly its byte count.
  ///
  /// - Throws: `CryptoError` when there is no memory for secrets.
  consuming func utf8() throws(CryptoError) -> SecretBytes {
    let count = count
    let byteCount = unsafe Self.withScalars(of: &storage) { scalars in
      var byteCount = 0
      for position in 0..<count {
        byteCount += Self.utf8ByteCount(of: unsafe UInt32(bitPattern: scalars[position]))
      }
      return byteCount
    }
    var result = try SecretBytes(count: byteCount)
    unsafe Self.withScalars(of: &storage) { scalars in
      result.withMutableBytes { bytes in
        var offset = 0
        for position in 0..<count {
          Self.encode(unsafe UInt32(bitPattern: scalars[position]), into: &bytes, at: &offset)
        }
      }
    }
    return result
  }

  // MARK: - Encoding

  private static func utf8ByteCount(of scalar: UInt32) -> Int {
    switch scalar {
    case 0..<0x80: 1
    case 0x80..<0x800: 2
    case 0x800..<0x1_0000: 3
    default: 4
    }
  }

  private static func encode(
    _ scalar: UInt32, into bytes: inout MutableSpan<UInt8>, at offset: inout Int
  ) {
    let byteCount = utf8ByteCount(of: scalar)
    let lead: UInt8 = [0, 0x00, 0xC0, 0xE0, 0xF0][byteCount]
    bytes[offset] = lead | UInt8(truncatingIfNeeded: scalar >> (6 * UInt32(byteCount - 1)))
    for position in 1..<byteCount {
      let shift = 6 * UInt32(byteCount - 1 - position)
      bytes[offset + position] = 0x80 | UInt8(truncatingIfNeeded: scalar >> shift & 0x3F)
    }
    offset += byteCount
  }

  // MARK: - Memory

  private static let scalarByteCount = MemoryLayout<Int32>.size

  private static func options(_ options: utf8proc_option_t...) -> utf8proc_option_t {
    utf8proc_option_t(rawValue: options.reduce(0) { $0 | $1.rawValue })
  }

  private static func withScalars<Result>(
    of storage: inout SecretBytes, _ body: (UnsafeMutableBufferPointer<Int32>) -> Result
  ) -> Result {
    storage.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBytes { raw in
        unsafe raw.withMemoryRebound(to: Int32.self) { scalars in unsafe body(scalars) }
      }
    }
  }
}

/// The general categories that the setting of a passphrase refuses (spec §5.6).
enum UnicodeCategory {
  /// Whether the code point is a control character (Cc).
  static func isControl(_ scalar: UInt32) -> Bool {
    utf8proc_category(Int32(bitPattern: scalar)) == UTF8PROC_CATEGORY_CC
  }

  /// Whether the code point is of format kind (Cf), which has no shape of its own.
  static func isFormat(_ scalar: UInt32) -> Bool {
    utf8proc_category(Int32(bitPattern: scalar)) == UTF8PROC_CATEGORY_CF
  }

  /// Whether the code point has no character (Cn) in the library's version of Unicode.
  static func isUnassigned(_ scalar: UInt32) -> Bool {
    utf8proc_category(Int32(bitPattern: scalar)) == UTF8PROC_CATEGORY_CN
  }
}
