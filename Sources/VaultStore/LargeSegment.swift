internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// A segment file above `thresholdByteCount`, which has to show its size, signature and name before it is loaded
/// (spec §7): anyone who can write to the folder can plant hundreds of MiB there, which may not even take space on the disk.
///
/// What has no valid signature never takes more memory than the front and one buffer. A signature proves only that the
/// file was made with the key it names: a whole segment that a stranger signed for a compartment of his own passes, and
/// is loaded like the owner's. Only the maximum of the format bounds that, about 640 MiB.
struct LargeSegment: ~Copyable {
  /// Up to this many bytes a segment is loaded without being looked at first: 1 MiB.
  static let thresholdByteCount = 1 << 20
  private static let bufferByteCount = 1 << 20

  let byteCount: Int
  private let file: FileDescriptor
  private let path: [UInt8]

  /// - Parameter path: for errors, relative to the vault.
  init(_ file: consuming FileDescriptor, path: [UInt8]) throws(StoreError) {
    do {
      byteCount = Int(clamping: try file.status().byteCount)
    } catch {
      throw .system(error, path: path)
    }
    self.file = file
    self.path = path
  }

  /// The public part, if the file has exactly the byte count that it declares. Reads only the front.
  /// - Throws: `damaged`, `system`.
  func head() throws(StoreError) -> SegmentFile {
    var front = [UInt8](repeating: 0, count: SegmentFile.frontByteCount)
    let count: Int
    do throws(SystemError) {
      var room = front.mutableSpan
      count = try file.read(into: &room, at: 0)
    } catch {
      throw .system(error, path: path)
    }
    do {
      return try SegmentFile(
        decodingFront: front.span.extracting(0..<count), fileByteCount: byteCount)
    } catch {
      throw .damaged(path: path, error)
    }
  }

  /// Checks the signature in one pass over the file, and gives its SHA-256.
  /// - Throws: `sealing` as `SegmentOpening.check`, `crypto`, `system`; `damaged` when the file was cut meanwhile.
  func verify(_ segment: SegmentFile, vaultID: VaultID) throws(StoreError) -> Digest {
    let signed = segment.signedRange
    var signature: [UInt8] = []
    var hasher: SHA512Hasher
    do { hasher = try SHA512Hasher() } catch { throw .crypto(error) }
    let digest = try hash { (piece, offset) throws(CryptoError) in
      let end = min(max(signed.upperBound - offset, 0), piece.count)
      try hasher.update(piece.extracting(0..<end))
      for index in end..<piece.count { signature.append(piece[index]) }
    }
    let signedDigest: [UInt8]
    do { signedDigest = try hasher.finish() } catch { throw .crypto(error) }
    do {
      try SegmentOpening.check(
        segment.head, signedDigest: signedDigest, signature: signature.span, vaultID: vaultID)
    } catch {
      throw .sealing(error, path: path)
    }
    return digest
  }

  /// The SHA-256 of the file.
  /// - Throws: `crypto`, `system`; `damaged` when the file was cut meanwhile.
  func digest() throws(StoreError) -> Digest {
    try hash { (_, _) throws(CryptoError) in }
  }

  /// Reads the file once from front to back and passes on each piece with its offset.
  private func hash(
    _ body: (Span<UInt8>, Int) throws(CryptoError) -> Void
  ) throws(StoreError) -> Digest {
    var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
    var hasher: SHA256Hasher
    do { hasher = try SHA256Hasher() } catch { throw .crypto(error) }
    var offset = 0
    while offset < byteCount {
      let wanted = min(buffer.count, byteCount - offset)
      let count: Int
      do throws(SystemError) {
        var room = buffer.mutableSpan
        var part = room._mutatingExtracting(0..<wanted)
        count = try file.read(into: &part, at: UInt64(offset))
      } catch {
        throw .system(error, path: path)
      }
      guard count == wanted else {
        throw .damaged(
          path: path,
          .truncated(field: "segment", offset: offset, needed: wanted, available: count))
      }
      do {
        let piece = buffer.span.extracting(0..<count)
        try hasher.update(piece)
        try body(piece, offset)
      } catch {
        throw .crypto(error)
      }
      offset += count
    }
    do { return Digest(try hasher.finish()) } catch { throw .crypto(error) }
  }
}
