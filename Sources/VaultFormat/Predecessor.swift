/// A compartment that another one took over from, as the hand-over states it (spec §7.5).
package struct Predecessor: Hashable, Sendable {
  /// The public key of the compartment that ended.
  package let signer: SignerKey
  /// 64 bytes, by that signer: names the signer that takes over.
  package let signature: [UInt8]
  /// 60 bytes: its master key, sealed for the owner of the compartment that states this.
  package let box: [UInt8]

  /// Byte count of the box: a master key, its nonce and its tag.
  static let boxByteCount = Limits.masterKeyByteCount + Limits.boxOverhead

  /// - Throws: `wrongByteCount`.
  package init(signer: SignerKey, signature: [UInt8], box: [UInt8]) throws(FormatError) {
    for (field, bytes, count) in [
      ("hand-over signature", signature, Limits.signatureByteCount),
      ("former key", box, Self.boxByteCount),
    ] where bytes.count != count {
      throw .wrongByteCount(
        field: field, offset: 0, allowed: UInt64(count)...UInt64(count),
        found: UInt64(bytes.count))
    }
    self.signer = signer
    self.signature = signature
    self.box = box
  }

  init(parsing reader: inout CBOR.Reader) throws(FormatError) {
    _ = try reader.readArrayHeader(3...3, elementByteCount: 34, as: "predecessor")
    signer = try reader.read32(as: "signer of a predecessor")
    signature = try Self.bytes(&reader, Limits.signatureByteCount, as: "hand-over signature")
    box = try Self.bytes(&reader, Self.boxByteCount, as: "former key")
  }

  func encode(into writer: inout CBOR.Writer) {
    writer.writeArrayHeader(3)
    writer.writeBytes(signer)
    writer.writeBytes(signature)
    writer.writeBytes(box)
  }

  private static func bytes(
    _ reader: inout CBOR.Reader, _ count: Int, as field: String
  ) throws(FormatError) -> [UInt8] {
    [UInt8](copying: try reader.readBytes(count...count, as: field))
  }

  /// Checks the list of a hand-over: no signer twice, none the one that takes over.
  static func check(
    _ predecessors: [Predecessor], before signer: SignerKey, offset: Int
  ) throws(FormatError) {
    var seen: Set<SignerKey> = [signer]
    for predecessor in predecessors where !seen.insert(predecessor.signer).inserted {
      throw .repeatedSigner(offset: offset)
    }
  }
}
