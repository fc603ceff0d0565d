import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct KeyVectorTests {
  @Test func secretsGiveTheKnownSlotValues() throws {
    let keys = try Known.keys()
    let vaultID = try VaultID(copying: keys.vaultId.bytes.span)
    let vaultSalt = try Salt(copying: keys.vaultSalt.bytes.span)
    #expect(keys.secrets.count == 2)
    for secret in keys.secrets {
      let purpose = try #require(SlotPurpose(rawValue: secret.purpose))
      let prepared = try SecretBytes(copying: secret.prepared.bytes.span)
      let derived = try SlotSecret.derive(
        prepared: prepared, purpose: purpose, iterations: secret.iterations, vaultID: vaultID,
        vaultSalt: vaultSalt)
      #expect(derived.exposed == secret.t.bytes)
      let slotSalt = try Salt(copying: secret.slotSalt.bytes.span)
      let locator = try SlotSecret.locator(derived, vaultID: vaultID, slotSalt: slotSalt)
      #expect(locator.bytes == secret.locator.bytes)
      let slotKey = try SlotSecret.slotKey(derived, vaultID: vaultID, slotSalt: slotSalt)
      #expect(slotKey.exposed == secret.slotKey.bytes)
    }
  }

  @Test func masterKeyGivesTheKnownSignerAndCompartment() throws {
    let keys = try Known.keys()
    let compartment = try Known.compartment()
    #expect(compartment.signer.bytes == keys.signer.bytes)
    #expect(compartment.compartmentID.bytes == keys.compartmentId.bytes)
    #expect(try compartment.signingKey().publicKey.bytes == keys.signer.bytes)
  }

  @Test func localKeysAreTheKnownOnes() throws {
    let local = try Known.keys().local
    let compartment = try Known.compartment()
    let key = try compartment.expandKey(.localKey, context: local.salt.bytes)
    #expect(key.exposed == local.localKey.bytes)
    let commitment: Commitment = try compartment.expandPublic(
      .localCommitment, context: local.salt.bytes)
    #expect(commitment.bytes == local.localCommitment.bytes)
    let source = Digest(try SHA256.digest(local.sourcePath.bytes.span))
    let name = try LocalSealing.name(of: source, keys: compartment)
    #expect(name + ".cache" == local.fileName)
  }
}
