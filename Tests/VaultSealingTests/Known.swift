import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

/// The answers of `fixtures/vectors/vault`, which another program made from the spec.
enum Known {
  struct Vault: Decodable {
    let vaultId, vaultSalt, firstCompartmentId, file, sha256: HexBytes
  }

  struct Keys: Decodable {
    struct Secret: Decodable {
      let purpose: UInt8
      let iterations: UInt32
      let prepared, t, slotSalt, locator, slotKey: HexBytes
    }

    struct Local: Decodable {
      let salt, localKey, localCommitment, sourcePath, localName: HexBytes
      let fileName: String
    }

    let vaultId, vaultSalt, masterKey, signer, compartmentId: HexBytes
    let secrets: [Secret]
    let local: Local
  }

  struct Slots: Decodable {
    struct Slot: Decodable {
      let purpose: UInt8
      let iterations: UInt32
      let slotSalt, locator, box, file: HexBytes
      let label, hint: String?
    }

    let slots: [Slot]
  }

  struct SealedFiles: Decodable {
    struct File: Decodable {
      struct Chunk: Decodable { let nonce, additionalData, tag: HexBytes }

      struct Record: Decodable {
        let type, compression: UInt8
        let mediaType: String?
        let contentByteCount, payloadByteCount: UInt64
        let created: [Int64]?
        let modified: [Int64]
      }

      let name: String
      let noteId, salt, baseNonce, headerNonce, path, content, payload: HexBytes
      let chunkLog2: UInt8
      let executable: Bool
      let contentRecord: Record
      let commitment, headerPlain, headerBox, digest, file: HexBytes
      let streamByteCount: Int
      let chunks: [Chunk]
      let hashes: [HexBytes]
    }

    let files: [File]
  }

  struct Segments: Decodable {
    struct Segment: Decodable {
      let name: String
      let id, salt, lists, expanded, body, box, file: HexBytes
      let compression: UInt8
    }

    let vaultSha256: HexBytes
    let segments: [Segment]
  }

  static func vault() throws -> Vault { try Fixtures.json("vectors/vault/vault.json") }
  static func keys() throws -> Keys { try Fixtures.json("vectors/vault/keys.json") }
  static func slots() throws -> Slots { try Fixtures.json("vectors/vault/slots.json") }
  static func files() throws -> SealedFiles { try Fixtures.json("vectors/vault/sealed-files.json") }
  static func segments() throws -> Segments { try Fixtures.json("vectors/vault/segments.json") }

  /// The nonce at the front of a sealed box.
  static func nonce(of box: [UInt8]) throws -> Nonce {
    let front = Array(box.prefix(Limits.nonceByteCount))
    return try Nonce(copying: front.span)
  }

  /// The `VAULT` of all vectors.
  static func header() throws -> VaultHeader {
    let file = try vault().file.bytes
    return try VaultHeader(decoding: file.span)
  }

  /// The keys of all vectors.
  static func compartment() throws -> CompartmentKeys {
    let keys = try keys()
    let masterKey = try SecretBytes(copying: keys.masterKey.bytes.span)
    return try CompartmentKeys(
      masterKey: masterKey, vaultID: try VaultID(copying: keys.vaultId.bytes.span))
  }
}

extension SecretBytes {
  /// The bytes, for a test to compare.
  var exposed: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
