import Testing
import VaultTestSupport

@testable import VaultFormat

@Suite struct LaterKeysTests {
  private func decode(_ map: Item) throws(FormatError) -> VaultHeader {
    try VaultHeader(decoding: map.file(.vault).span)
  }

  @Test(arguments: [UInt64(0), 4, 127])
  func anUnknownKeyBelow128IsRefused(key: UInt64) {
    // The map begins at byte 16; key 0 stands first, the others after the three known ones.
    let offset = key == 0 ? 17 : 17 + 18 + 35 + 18
    #expect(throws: FormatError.unknownKey(field: "VAULT", offset: offset, key: key)) {
      try decode(Samples.vault.with(key, .uint(0)))
    }
  }

  @Test(arguments: [UInt64(128), 129, 255, 256, 1 << 32, UInt64.max])
  func anUnknownKeyFrom128IsKeptAsItIs(key: UInt64) throws {
    let value = Item.array([.map([(0, .text("é")), (200, .negative(5))]), .bool(true)])
    let vault = try decode(Samples.vault.with(key, value))
    #expect(vault.laterKeys.pairs == [LaterKeys.Pair(key: key, value: value.encoded)])
    #expect(vault.encoded() == Samples.vault.with(key, value).file(.vault))
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func aMissingKeyIsNamed(key: UInt64) {
    let error = #expect(throws: FormatError.self) { try decode(Samples.vault.with(key, nil)) }
    let names = ["vault id", "vault salt", "first compartment"]
    guard case .missingKey(field: names[Int(key) - 1], offset: _, key: key) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func theValueOfALaterKeyObeysTheSubset() {
    let offset = 16 + Samples.vault.encoded.count + 2
    #expect(
      throws: FormatError.unsupportedItem(field: "VAULT", offset: offset, initialByte: 0xF6)
    ) { try decode(Samples.vault.with(128, .raw([0xF6]))) }
  }

  @Test func onlyEvenKeysAreCarriedOver() throws {
    let keys = try LaterKeys([(128, [0x00]), (129, [0x01]), (131, [0x02]), (1 << 40, [0x03])])
    #expect(keys.carriedOver == (try LaterKeys([(128, [0x00]), (1 << 40, [0x03])])))
  }

  @Test func keysThatCouldNotBeReadAgainAreRefused() {
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "later key", offset: 0, found: 127, allowed: 128...UInt64.max)
    ) { try LaterKeys([(127, [0x00])]) }
    #expect(
      throws: FormatError.keysNotAscending(
        field: "later key", offset: 0, previous: 130, found: 130)
    ) { try LaterKeys([(130, [0x00]), (130, [0x00])]) }
    #expect(throws: FormatError.trailingBytes(offset: 1)) { try LaterKeys([(130, [0x00, 0x00])]) }
    #expect(throws: FormatError.unsupportedItem(field: "later key", offset: 0, initialByte: 0xF6)) {
      try LaterKeys([(130, [0xF6])])
    }
  }

  /// A value is read within its map, so it may nest one level less than a value alone.
  @Test func aValueThatWouldNestTooDeepThereIsRefused() throws {
    let seven = [UInt8](repeating: 0x81, count: 6) + [0x80]
    let fits = try LaterKeys([(128, seven)])
    _ = try VaultHeader(
      vaultID: VaultID(high: 0, low: 0), vaultSalt: Salt(0, 0, 0, 0),
      firstCompartment: CompartmentID(high: 0, low: 0), laterKeys: fits)
    let tooDeep = try LaterKeys([(128, [0x81] + seven)])
    #expect(throws: FormatError.tooDeep(field: "later key", offset: 8)) {
      try VaultHeader(
        vaultID: VaultID(high: 0, low: 0), vaultSalt: Salt(0, 0, 0, 0),
        firstCompartment: CompartmentID(high: 0, low: 0), laterKeys: tooDeep)
    }
  }

  /// The index repeats a content record four levels deep, so its later keys must fit there.
  @Test func aContentRecordKeepsOnlyWhatFitsIntoTheIndex() throws {
    let four = Item.raw([0x81, 0x81, 0x81, 0x80])
    let five = Item.raw([0x81, 0x81, 0x81, 0x81, 0x80])
    let fits = Samples.padded(Samples.header.with(128, four))
    #expect(try NoteHeader(decoding: fits.span).content.laterKeys.count == 1)
    let tooDeep = Samples.padded(Samples.header.with(128, five))
    #expect(throws: FormatError.tooDeep(field: "later key", offset: 8)) {
      try NoteHeader(decoding: tooDeep.span)
    }
  }

  @Test func aPublicMapThatGrowsTooLongIsRefused() throws {
    let value = [UInt8]([0x59, 0x10, 0x00]) + [UInt8](repeating: 0, count: 4_096)
    let keys = try LaterKeys([(128, value)])
    #expect(
      throws: FormatError.wrongByteCount(
        field: "public map", offset: 16, allowed: 1...4_096, found: 72 + 2 + 3 + 4_096)
    ) {
      try VaultHeader(
        vaultID: VaultID(high: 0, low: 0), vaultSalt: Salt(0, 0, 0, 0),
        firstCompartment: CompartmentID(high: 0, low: 0), laterKeys: keys)
    }
  }
}
