import Testing
import VaultCrypto
import VaultFormat
import VaultSealing

@testable import VaultStore

/// Keys in the kernel's ring are proved before they are used (spec/command-line.md, Sessions).
@Suite struct SessionTests {
  private static let isThere = (try? Session.all()) != nil

  private func opened(_ vault: TestVault) throws -> (VaultFolder, Snapshot, OpenedSlots) {
    let folder = try vault.open()
    let snapshot = try Snapshot.load(folder, bounds: TestVault.bounds)
    let opened = try Unlocking(
      snapshot.usableSlots, of: folder.header, with: TestVault.secret(TestVault.passphrase),
      keepingMasterKeys: true
    ).finish()
    return (folder, snapshot, opened)
  }

  private func name(of compartment: CompartmentID) -> [UInt8] {
    bytes("vaulttool:\(compartment.hex)")
  }

  @Test(.enabled(if: isThere)) func aSessionOpensTheNotesWithoutAnySlot() throws {
    let (folder, snapshot, opened) = try opened(TestVault())
    let id = folder.header.firstCompartment
    #expect(Session.opened(of: folder, snapshot) == nil)
    let done = try Session.open(opened, except: [], minutes: 2, path: bytes("/a place"))
    #expect(done == [id])
    let session = try #require(try Session.find(id))
    #expect(session.minutes == 2 && session.path == bytes("/a place"))
    #expect(session.vaultID == folder.header.vaultID)
    #expect(try Session.all().contains { $0.compartment == id })
    let found = try #require(Session.opened(of: folder, snapshot))
    #expect(try found.read(snapshot, of: folder).compartments.map(\.index.compartment) == [id])
    #expect(try Session.end(id))
    #expect(try Session.find(id) == nil)
    #expect(try !Session.end(id))
    #expect(Session.opened(of: folder, snapshot) == nil)
  }

  @Test(.enabled(if: isThere)) func anEndedCompartmentGetsNoSession() throws {
    let (folder, _, opened) = try opened(TestVault())
    let id = folder.header.firstCompartment
    #expect(try Session.open(opened, except: [id], minutes: 1, path: []) == [])
    #expect(try Session.find(id) == nil)
  }

  @Test(.enabled(if: isThere), arguments: [48, 49, 4_000, 5_000])
  func aKeyOfTheRingMustBeThatOfItsCompartment(byteCount: Int) throws {
    let (folder, snapshot, _) = try opened(TestVault())
    let id = folder.header.firstCompartment
    // The vault's id and another master key, as long as a session may be, or not.
    let payload =
      folder.header.vaultID.bytes + [UInt8](repeating: 8, count: byteCount - 16)
    try KeyRing.add(try SecretBytes(copying: payload.span), as: name(of: id), seconds: 60)
    #expect(try KeyRing.find(name(of: id)) != nil)
    #expect(try Session.find(id) == nil)
    #expect(try !Session.all().contains { $0.compartment == id })
    #expect(Session.opened(of: folder, snapshot) == nil)
    #expect(try Session.end(id))
  }

  @Test(.enabled(if: isThere)) func aSessionOfAnotherVaultUnderThisNameDoesNotCount() throws {
    let (folder, snapshot, _) = try opened(TestVault())
    let (_, _, other) = try opened(TestVault())
    let id = folder.header.firstCompartment
    let otherID = try #require(
      try Session.open(other, except: [], minutes: 1, path: []).first)
    let key = try #require(try KeyRing.find(name(of: otherID)))
    guard let payload = try KeyRing.read(key, limit: 100) else {
      Issue.record("the key is not there")
      return
    }
    try KeyRing.add(payload, as: name(of: id), seconds: 60)
    #expect(Session.opened(of: folder, snapshot) == nil)
    #expect(try Session.end(id))
    #expect(try Session.end(otherID))
  }

  @Test(
    arguments: [
      ("8m", 480), ("59s", 59), ("2h", 7_200), ("1d", 86_400), ("1w", 604_800), ("perm", nil),
      ("expd", nil), ("", nil), ("m", nil), ("99999999999w", nil),
    ] as [(String, UInt32?)])
  func theTimeLeftIsReadAsTheKernelWritesIt(text: String, seconds: UInt32?) {
    #expect(KeyRing.seconds(bytes(text)[...]) == seconds)
  }
}
