import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct SegmentVectorTests {
  @Test func knownSegmentsVerifyAndOpen() throws {
    let keys = try Known.compartment()
    let known = try Known.segments()
    #expect(known.segments.count == 3)
    var decompressor = try ZstdDecompressor()
    for segment in known.segments {
      let bytes = segment.file.bytes
      let verified = try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
      #expect(verified.id.bytes == segment.id.bytes)
      #expect(verified.lists.encoded() == segment.lists.bytes)
      #expect(verified.file.head.vaultDigest.bytes == known.vaultSha256.bytes)
      let body = try SegmentOpening.openBox(
        of: verified, bytes.span, keys: keys, expandingWith: &decompressor)
      #expect(body.encoded() == segment.expanded.bytes)
    }
  }

  /// Frames of zstd differ between its releases, so only the uncompressed ones can be equal.
  @Test func knownSegmentsAreReproducedByteForByte() throws {
    let keys = try Known.compartment()
    let known = try Known.segments()
    var compressor = try ZstdCompressor(level: 3)
    var reproduced = 0
    for segment in known.segments where segment.compression == 0 {
      let lists = try SegmentLists(decoding: segment.lists.bytes.span)
      let body = try SegmentBody(decoding: segment.expanded.bytes.span, entries: lists.entries)
      let sealed = try SegmentSealing.seal(
        lists, body.items, keys: keys,
        vaultDigest: try Digest(copying: known.vaultSha256.bytes.span),
        salt: try Salt(copying: segment.salt.bytes.span),
        nonce: try Known.nonce(of: segment.box.bytes), compressingWith: &compressor)
      #expect(sealed.bytes == segment.file.bytes)
      #expect(sealed.segment.id.bytes == segment.id.bytes)
      reproduced += 1
    }
    #expect(reproduced == 2)
  }
}
