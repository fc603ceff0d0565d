import VaultCrypto
package import VaultFormat

/// Files that one machine keeps in `local/` for one compartment (spec §10).
package enum LocalSealing {
  private static let magic = Array("VLTLOCAL".utf8)
  private static let version: UInt32 = 1
  /// Byte count of what stands before the box: magic, version, salt and commitment.
  private static let headByteCount = 8 + 4 + 32 + 32

  /// The file name, without its ending, for something with that digest: for a source folder the
  /// SHA-256 of its absolute path.
  ///
  /// - Throws: `crypto`.
  package static func name(
    of sourceDigest: Digest, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> String {
    do {
      let name: Digest = try keys.expandPublic(.localName, context: sourceDigest.bytes)
      return name.prefix.hex
    } catch {
      throw .crypto(error)
    }
  }

  /// Seals `content` into the bytes of a file.
  ///
  /// - Parameters:
  ///   - salt: random, fresh for each sealing.
  ///   - nonce: random, fresh for each sealing.
  /// - Throws: `crypto`.
  package static func seal(
    _ content: Span<UInt8>, keys: borrowing CompartmentKeys, salt: Salt, nonce: Nonce
  ) throws(SealingError) -> [UInt8] {
    do throws(CryptoError) {
      let commitment: Commitment = try keys.expandPublic(.localCommitment, context: salt.bytes)
      var head = ByteWriter(capacity: headByteCount)
      head.append(magic)
      head.append(version)
      salt.append(to: &head)
      commitment.append(to: &head)
      var aead = try AEAD()
      try aead.setKey(try keys.expandKey(.localKey, context: salt.bytes))
      return try head.bytes
        + SealedBox.seal(
          content, nonce: nonce, label: head.bytes, context: Span(), with: &aead)
    } catch {
      throw .crypto(error)
    }
  }

  /// Opens the bytes of a file.
  ///
  /// - Throws: `format` where it is no local file of this version, `commitmentMismatch`,
  ///   `boxNotAuthentic`, `crypto`.
  package static func open(
    _ file: Span<UInt8>, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> [UInt8] {
    let (salt, stated) = try parse(file)
    let commitment: Commitment = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try keys.expandPublic(.localCommitment, context: salt.bytes)
    }
    guard areEqualInConstantTime(commitment, stated) else { throw .commitmentMismatch }
    let box = file.extracting(headByteCount...)
    guard box.count >= Limits.boxOverhead else { throw .boxNotAuthentic }
    var content = [UInt8](repeating: 0, count: box.count - Limits.boxOverhead)
    var output = content.mutableSpan
    do throws(CryptoError) {
      var aead = try AEAD()
      try aead.setKey(try keys.expandKey(.localKey, context: salt.bytes))
      try SealedBox.open(
        box, label: [UInt8](copying: file.extracting(..<headByteCount)), context: Span(),
        with: &aead, into: &output)
    } catch .authenticationFailed {
      throw .boxNotAuthentic
    } catch {
      throw .crypto(error)
    }
    return content
  }

  private static func parse(
    _ file: Span<UInt8>
  ) throws(SealingError) -> (salt: Salt, commitment: Commitment) {
    do throws(FormatError) {
      var reader = ByteReader(file)
      let found = [UInt8](copying: try reader.bytes(magic.count, as: "magic"))
      guard found == magic else { throw .wrongMagic }
      let offset = reader.offset
      let version = try reader.integer(UInt32.self, as: "version")
      guard version == Self.version else {
        throw .valueOutOfRange(
          field: "version", offset: offset, found: UInt64(version), allowed: 1...1)
      }
      return (
        try Salt(parsing: &reader, as: "salt"), try Commitment(parsing: &reader, as: "commitment")
      )
    } catch {
      throw .format(error)
    }
  }
}
