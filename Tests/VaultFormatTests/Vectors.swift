import VaultFormat
import VaultTestSupport

// The parts of `fixtures/vectors/vault/*.json` that need no key; names as in the JSON.

struct VaultVector: Decodable {
  let vaultId: HexBytes
  let vaultSalt: HexBytes
  let firstCompartmentId: HexBytes
  let file: HexBytes
}

struct SlotVectors: Decodable {
  struct Slot: Decodable {
    let purpose: UInt8
    let iterations: UInt32
    let slotSalt: HexBytes
    let signer: HexBytes
    let compartmentId: HexBytes
    let label: String?
    let hint: String?
    let prefix: HexBytes
    let box: HexBytes
    let file: HexBytes
    let fileName: String
  }
  let slots: [Slot]
}

struct FileVectors: Decodable {
  struct Record: Decodable {
    let type: UInt8
    let mediaType: String?
    let contentByteCount: UInt64
    let payloadByteCount: UInt64
    let compression: UInt8
    let created: [Int64]?
    let modified: [Int64]

    /// The record that the numbers stand for.
    var value: ContentRecord {
      get throws {
        guard let type = ContentType(rawValue: type),
          let compression = Compression(rawValue: compression)
        else { throw FixtureError.malformed(path: "sealed-files.json", reason: "record") }
        return try ContentRecord(
          type: type, mediaType: mediaType, contentByteCount: contentByteCount,
          payloadByteCount: payloadByteCount, compression: compression,
          created: created.map(time), modified: time(modified), laterKeys: LaterKeys())
      }
    }

    private func time(_ parts: [Int64]) throws -> Timestamp {
      try Timestamp(seconds: parts[0], nanoseconds: UInt32(parts[1]))
    }
  }
  struct Chunk: Decodable {
    let nonce: HexBytes
    let byteCount: Int
    let tag: HexBytes
  }
  struct File: Decodable {
    let noteId: HexBytes
    let salt: HexBytes
    let chunkLog2: UInt8
    let baseNonce: HexBytes
    let path: HexBytes
    let executable: Bool
    let contentRecord: Record
    let prefix: HexBytes
    let commitment: HexBytes
    let headerPlain: HexBytes
    let headerBox: HexBytes
    let streamByteCount: Int
    let chunks: [Chunk]
    let file: HexBytes
  }
  let files: [File]
}

struct SegmentVectors: Decodable {
  struct State: Decodable {
    let grave: HexBytes?
    let digest: HexBytes?
    let byteCount: UInt64?
  }
  struct Place: Decodable {
    let path: HexBytes
    let executable: Bool
  }
  struct Entry: Decodable {
    let kind: UInt64
    let id: HexBytes
    let states: [State]
    let over: [HexBytes]
    let placeVersion: UInt64
    let place: Place?
    let map: HexBytes?
  }
  struct Segment: Decodable {
    let salt: HexBytes
    let parents: [HexBytes]
    let replaces: [HexBytes]
    let excuses: [HexBytes]
    let entries: [Entry]
    let prefix: HexBytes
    let commitment: HexBytes
    let lists: HexBytes
    let maskedLists: HexBytes
    let expanded: HexBytes
    let body: HexBytes
    let compression: UInt8
    let boxPlain: HexBytes
    let box: HexBytes
    let signature: HexBytes
    let file: HexBytes
  }
  let segments: [Segment]
}

struct PlanVector: Decodable {
  struct Item: Decodable {
    let noteId: HexBytes
    let before: HexBytes
    let after: HexBytes
  }
  let items: [Item]
  let encoded: HexBytes
}
