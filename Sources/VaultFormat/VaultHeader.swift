/// The file `VAULT`: what every slot repeats and nothing ever changes (spec §4).
package struct VaultHeader: Hashable, Sendable {
  package let vaultID: VaultID
  package let vaultSalt: Salt
  /// The compartment that the vault was born with.
  package let firstCompartment: CompartmentID
  /// Keys of a later version.
  package let laterKeys: LaterKeys
  private let prefix: [UInt8]

  /// The header of a vault.
  ///
  /// - Throws: `wrongByteCount` if the later keys make the public map too long, `tooDeep`.
  package init(
    vaultID: VaultID, vaultSalt: Salt, firstCompartment: CompartmentID, laterKeys: LaterKeys
  ) throws(FormatError) {
    try laterKeys.check(atDepth: 1)
    self.vaultID = vaultID
    self.vaultSalt = vaultSalt
    self.firstCompartment = firstCompartment
    self.laterKeys = laterKeys
    var map = CBOR.Writer()
    map.writeMapHeader(3 + laterKeys.count)
    map.writeUnsigned(1)
    map.writeBytes(vaultID)
    map.writeUnsigned(2)
    map.writeBytes(vaultSalt)
    map.writeUnsigned(3)
    map.writeBytes(firstCompartment)
    map.writeLaterKeys(laterKeys)
    prefix = try Preamble.prefix(of: .vault, map: map)
  }

  /// Decodes a whole file.
  ///
  /// - Throws: what a preamble and a public map can be wrong with, `trailingBytes`.
  package init(decoding bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    let preamble = try Preamble(parsing: &reader, expecting: .vault)
    let start = reader.offset
    var map = CBOR.Reader(
      try reader.bytes(preamble.publicMapByteCount, as: "public map"), baseOffset: start)
    var keys = try map.readMapHeader(as: "VAULT")
    try map.requireKey(1, in: &keys, as: "vault id")
    vaultID = try map.read16(as: "vault id")
    try map.requireKey(2, in: &keys, as: "vault salt")
    vaultSalt = try map.read32(as: "vault salt")
    try map.requireKey(3, in: &keys, as: "first compartment")
    firstCompartment = try map.read16(as: "first compartment")
    laterKeys = try map.finishMap(&keys)
    try map.finish()
    prefix = reader.bytesRead(since: 0)
    try reader.finish()
  }

  /// The whole file.
  package func encoded() -> [UInt8] { prefix }
}
