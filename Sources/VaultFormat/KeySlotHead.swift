/// What kind of secret opens a slot; the raw value stands in its map (spec §5.4).
package enum SlotPurpose: UInt8, Hashable, Sendable, CaseIterable {
  case passphrase = 1
  case phrase = 2
}

/// The public part of a slot: preamble and map (spec §5.4).
package struct KeySlotHead: Hashable, Sendable {
  package let vaultID: VaultID
  package let vaultSalt: Salt
  package let firstCompartment: CompartmentID
  /// The compartment whose master key the slot wraps.
  package let compartment: CompartmentID
  package let purpose: SlotPurpose
  /// PBKDF2 iterations.
  package let iterations: UInt32
  package let slotSalt: Salt
  /// The slot's file name, in binary.
  package let locator: Locator
  /// The signer of the slot's compartment.
  package let signer: SignerKey
  /// What the owner calls the slot: 1 to 256 bytes of UTF-8, or nil.
  package let label: String?
  /// A public hint for the passphrase: 1 to 256 bytes of UTF-8, or nil.
  package let hint: String?
  /// Keys of a later version.
  package let laterKeys: LaterKeys
  /// Preamble and public map exactly as stored; the box authenticates them.
  package let prefix: [UInt8]

  /// The head of a new slot.
  ///
  /// - Throws: `valueOutOfRange` for iterations outside `bounds`, `wrongByteCount` for a label or
  ///   hint that is empty or too long, or a map that is too long, `tooDeep`.
  package init(
    vaultID: VaultID, vaultSalt: Salt, firstCompartment: CompartmentID,
    compartment: CompartmentID, purpose: SlotPurpose, iterations: UInt32, slotSalt: Salt,
    locator: Locator, signer: SignerKey, label: String?, hint: String?, laterKeys: LaterKeys,
    bounds: KDFBounds
  ) throws(FormatError) {
    let allowed = bounds.iterations(for: purpose)
    guard allowed.contains(iterations) else {
      throw .valueOutOfRange(
        field: "iterations", offset: 0, found: UInt64(iterations),
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound))
    }
    try Self.check(label, Limits.labelByteCount, as: "label")
    try Self.check(hint, Limits.hintByteCount, as: "hint")
    try laterKeys.check(atDepth: 1)
    self.vaultID = vaultID
    self.vaultSalt = vaultSalt
    self.firstCompartment = firstCompartment
    self.compartment = compartment
    self.purpose = purpose
    self.iterations = iterations
    self.slotSalt = slotSalt
    self.locator = locator
    self.signer = signer
    self.label = label
    self.hint = hint
    self.laterKeys = laterKeys
    var map = CBOR.Writer()
    map.writeMapHeader(9 + (label == nil ? 0 : 1) + (hint == nil ? 0 : 1) + laterKeys.count)
    map.writeUnsigned(1)
    map.writeBytes(vaultID)
    map.writeUnsigned(2)
    map.writeBytes(vaultSalt)
    map.writeUnsigned(3)
    map.writeBytes(firstCompartment)
    map.writeUnsigned(4)
    map.writeBytes(compartment)
    map.writeUnsigned(5)
    map.writeUnsigned(UInt64(purpose.rawValue))
    map.writeUnsigned(6)
    map.writeUnsigned(UInt64(iterations))
    map.writeUnsigned(7)
    map.writeBytes(slotSalt)
    map.writeUnsigned(8)
    map.writeBytes(locator)
    map.writeUnsigned(9)
    map.writeBytes(signer)
    if let label {
      map.writeUnsigned(10)
      map.writeText(label)
    }
    if let hint {
      map.writeUnsigned(11)
      map.writeText(hint)
    }
    map.writeLaterKeys(laterKeys)
    prefix = try Preamble.prefix(of: .slot, map: map)
  }

  private static func check(
    _ text: String?, _ allowed: ClosedRange<Int>, as field: String
  ) throws(FormatError) {
    guard let text, !allowed.contains(text.utf8.count) else { return }
    throw .wrongByteCount(
      field: field, offset: 0, allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
      found: UInt64(text.utf8.count))
  }
}

extension KeySlotHead {
  /// Reads preamble and map from the front of a slot file.
  ///
  /// - Throws: what a preamble and a public map can be wrong with; `unknownPurpose`, `newerVersion`
  ///   and `newerSuite` for a slot that is passed over with a note; `valueOutOfRange` for iterations
  ///   outside `bounds`.
  package init(parsing reader: inout ByteReader, bounds: KDFBounds) throws(FormatError) {
    let fileStart = reader.offset
    let preamble = try Preamble(parsing: &reader, expecting: .slot)
    let start = reader.offset
    var map = CBOR.Reader(
      try reader.bytes(preamble.publicMapByteCount, as: "public map"), baseOffset: start)
    var keys = try map.readMapHeader(as: "slot")
    try map.requireKey(1, in: &keys, as: "vault id")
    vaultID = try map.read16(as: "vault id")
    try map.requireKey(2, in: &keys, as: "vault salt")
    vaultSalt = try map.read32(as: "vault salt")
    try map.requireKey(3, in: &keys, as: "first compartment")
    firstCompartment = try map.read16(as: "first compartment")
    try map.requireKey(4, in: &keys, as: "compartment")
    compartment = try map.read16(as: "compartment")
    try map.requireKey(5, in: &keys, as: "purpose")
    let foundPurpose = try map.readUnsigned(as: "purpose")
    guard let purpose = SlotPurpose(rawValue: UInt8(clamping: foundPurpose)) else {
      throw .unknownPurpose(found: foundPurpose)
    }
    self.purpose = purpose
    try map.requireKey(6, in: &keys, as: "iterations")
    let allowed = bounds.iterations(for: purpose)
    iterations = UInt32(
      try map.readUnsigned(
        UInt64(allowed.lowerBound)...UInt64(allowed.upperBound), as: "iterations"))
    try map.requireKey(7, in: &keys, as: "slot salt")
    slotSalt = try map.read32(as: "slot salt")
    try map.requireKey(8, in: &keys, as: "locator")
    locator = try map.read32(as: "locator")
    try map.requireKey(9, in: &keys, as: "signer")
    signer = try map.read32(as: "signer")
    label =
      try map.hasKey(10, in: &keys)
      ? try map.readText(Limits.labelByteCount, as: "label") : nil
    hint =
      try map.hasKey(11, in: &keys)
      ? try map.readText(Limits.hintByteCount, as: "hint") : nil
    laterKeys = try map.finishMap(&keys)
    try map.finish()
    prefix = reader.bytesRead(since: fileStart)
  }
}
