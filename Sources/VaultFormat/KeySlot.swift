/// A slot file: a master key wrapped under a passphrase or a recovery phrase (spec §5.4).
package struct KeySlot: Hashable, Sendable {
  package let head: KeySlotHead
  /// The sealed master key: nonce, ciphertext and tag, 60 bytes.
  package let box: [UInt8]

  /// The slot that consists of a head and a box that was sealed with `head.prefix`.
  ///
  /// - Throws: `wrongByteCount` if the box has not 60 bytes.
  package init(head: KeySlotHead, box: [UInt8]) throws(FormatError) {
    let allowed = UInt64(Limits.slotBoxByteCount)...UInt64(Limits.slotBoxByteCount)
    guard allowed.contains(UInt64(box.count)) else {
      throw .wrongByteCount(
        field: "box", offset: head.prefix.count, allowed: allowed, found: UInt64(box.count))
    }
    self.head = head
    self.box = box
  }

  /// Decodes a whole file.
  ///
  /// - Throws: what the head can be wrong with, `truncated`, `trailingBytes`.
  package init(decoding bytes: Span<UInt8>, bounds: KDFBounds) throws(FormatError) {
    var reader = ByteReader(bytes)
    head = try KeySlotHead(parsing: &reader, bounds: bounds)
    box = [UInt8](copying: try reader.bytes(Limits.slotBoxByteCount, as: "box"))
    try reader.finish()
  }

  /// The whole file.
  package func encoded() -> [UInt8] { head.prefix + box }
}
