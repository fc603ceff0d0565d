import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

/// A new vault is there whole or not at all (spec §4, §5.4, §7.4).
@Suite struct VaultCreationTests {
  @Test func aNewVaultHoldsSlotsWithSparesCompanionsAndASegmentThatListsThem() throws {
    let vault = try TestVault()
    let snapshot = try vault.snapshot()
    let slots = try #require(try vault.names("index")).filter { $0.hasSuffix(".slot") }
    #expect(slots.count == 2)
    #expect(try vault.names("spare") == slots)
    for slot in slots {
      #expect(try vault.content("index/\(slot)") == vault.content("spare/\(slot)"))
    }
    #expect(snapshot.findings == [])
    #expect(snapshot.segmentCount == 1)
    let index = try #require(snapshot.compartments[try vault.open().header.firstCompartment])
    let listed = index.slots.compactMapValues(\.onlyCurrent)
    let found = snapshot.slots.filter { !$0.isSpare }.map { ($0.locator, $0.state) }
    #expect(listed == Dictionary(uniqueKeysWithValues: found))
    for (path, register) in index.companions {
      let bytes = try vault.content(String(decoding: path, as: UTF8.self))
      let digest = Digest(try SHA256.digest(bytes.span))
      #expect(register.onlyCurrent == .file(digest, byteCount: UInt64(bytes.count)))
    }
    #expect(index.companions.keys.count == CompanionFiles.all.count)
    #expect(index.notes.isEmpty)
    let names = [".gitattributes", ".gitignore", "README.md", "VAULT", "index", "notes", "spare"]
    #expect(try vault.topNames() == names)
  }

  @Test func anEmptyDirectoryIsFilledAndOthersAreRefusedUntouched() throws {
    let place = try TemporaryFolder.inMemory()
    _ = try TestVault.creation(at: place.bytes).write()
    let error = #expect(throws: StoreError.self) {
      _ = try TestVault.creation(at: place.bytes).write()
    }
    #expect(error == .notEmpty(path: place.bytes))
    _ = try VaultFolder(path: place.bytes)
    for name in ["a file", ".hidden"] {
      let other = try Workplace()
      try other.put(name, "mine")
      #expect(throws: StoreError.notEmpty(path: other.temporary.bytes)) {
        _ = try TestVault.creation(at: other.temporary.bytes).write()
      }
      #expect(try other.names() == [name])
      #expect(try other.content(name) == "mine")
    }
  }

  @Test func aFileOrAMissingParentIsAnErrorOfTheSystem() throws {
    let place = try Workplace()
    try place.put("file", "mine")
    for (name, code) in [("file", ErrorCode.notAFolder), ("no/vault", .notFound)] {
      let path = bytes(place.temporary.path(of: name))
      let error = #expect(throws: StoreError.self) { _ = try TestVault.creation(at: path).write() }
      guard case .system(let cause, path) = error, cause.code == code else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(try place.names() == ["file"])
  }

  @Test func aFailureOfAnyStepLeavesNothing() throws {
    let place = try Workplace()
    let path = bytes(place.temporary.path(of: "vault"))
    var step = 1
    while true {
      let plan = FaultPlan(atStep: step, .fail(.noSpace))
      let isMade = (try? TestVault.creation(at: path).write(faults: plan)) != nil
      if !plan.wasReached {
        #expect(isMade)
        break
      }
      #expect(!isMade, "step \(step)")
      #expect(try place.names() == [], "step \(step)")
      step += 1
    }
    #expect(step > 20)
  }

  @Test func aStopAtAnyStepLeavesAWholeVaultOrNone() throws {
    var wholeCount = 0
    var step = 1
    while true {
      let place = try Workplace()
      let path = bytes(place.temporary.path(of: "vault"))
      let plan = FaultPlan(atStep: step, .stop)
      _ = try? TestVault.creation(at: path).write(faults: plan)
      do {
        let vault = try VaultFolder(path: path)
        let snapshot = try Snapshot.load(vault, bounds: TestVault.bounds)
        #expect(snapshot.findings == [], "step \(step)")
        #expect(snapshot.slots.count == 4, "step \(step)")
        #expect(try TestVault.unlock(vault, snapshot).findings == [], "step \(step)")
        wholeCount += 1
      } catch StoreError.notAVault(path) {
        #expect(wholeCount == 0, "step \(step)")
      }
      if !plan.wasReached { break }
      step += 1
    }
    #expect(wholeCount == 2, "only the sync after the last rename comes after the vault is whole")
  }

  @Test func aFailureInADirectoryThatWasThereLeavesItEmpty() throws {
    let place = try Workplace()
    let plan = FaultPlan(atStep: 12, .fail(.inputOutput))
    #expect(throws: StoreError.self) {
      _ = try TestVault.creation(at: place.temporary.bytes).write(faults: plan)
    }
    #expect(try place.names() == [])
  }
}
