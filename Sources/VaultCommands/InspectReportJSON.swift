import VaultFormat
import VaultStore

/// What `inspect --json` prints: the object `vaulttool-inspect/1` (spec/command-line.md).
struct InspectReportJSON: Encodable {
  private struct Part: Encodable {
    let offset: Int
    let bytes: Int
    let name: String
    let value: Value?
  }

  /// A number, an array of numbers, a text, or bytes in hex.
  private struct Value: Encodable {
    let value: Inspection.Value

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch value {
      case .number(let number): try container.encode(number)
      case .numbers(let numbers): try container.encode(numbers)
      case .bytes(let bytes): try container.encode(JSONText.hex(bytes))
      case .text(let text): try container.encode(text)
      }
    }
  }

  private struct Segment: Encodable {
    let id: String
    let signatureHolds: Bool
    let parents: [String]
    let replaces: [String]
    let excuses: [String]
    let entries: [Entry]
  }

  private struct Entry: Encodable {
    let kind: String
    let id: String
    let states: [EntryState]
    let over: [String]
    let placeVersion: UInt64

    init(_ entry: IndexEntry) {
      (kind, id) =
        switch entry.id {
        case .note(let id): ("note", id.hex)
        case .slot(let locator): ("slot", locator.hex)
        case .companion(let path): ("companion", String(decoding: path, as: UTF8.self))
        }
      states = entry.states.map(EntryState.init)
      over = entry.over.map(\.hex)
      placeVersion = entry.placeVersion
    }
  }

  /// A file by digest and bytes, or a grave.
  private struct EntryState: Encodable {
    let digest: String?
    let bytes: UInt64?
    let grave: String?

    init(_ state: State) {
      switch state {
      case .file(let digest, let byteCount):
        self.digest = digest.hex
        bytes = byteCount
        grave = nil
      case .grave(let grave):
        digest = nil
        bytes = nil
        self.grave = grave.hex
      }
    }
  }

  private struct PlanItem: Encodable {
    let note: String
    let before: String?
    let after: String?
  }

  private struct Damage: Encodable {
    let code: String
    let message: String
  }

  private let schema = "vaulttool-inspect/1"
  private let kind: String
  private let version: UInt8?
  private let suite: UInt8?
  private let fileBytes: Int
  private let sha256: String
  private let parts: [Part]
  private let digest: String?
  private let chunkBytes: Int?
  private let chunks: Int?
  private let segment: Segment?
  private let plan: [PlanItem]?
  private let damage: Damage?

  init(_ inspection: Inspection) {
    kind = inspection.kind.rawValue
    version = inspection.version
    suite = inspection.suite
    fileBytes = inspection.fileByteCount
    sha256 = inspection.sha256.hex
    parts = inspection.parts.map { part in
      Part(
        offset: part.offset, bytes: part.byteCount, name: part.name,
        value: part.value.map { Value(value: $0) })
    }
    digest = inspection.chunks?.digest.hex
    chunkBytes = inspection.chunks?.geometry.chunkByteCount
    chunks = inspection.chunks?.geometry.chunkCount
    segment = inspection.segment.map { segment in
      Segment(
        id: segment.id.hex, signatureHolds: segment.signatureHolds,
        parents: segment.lists.parents.map(\.hex), replaces: segment.lists.replaces.map(\.hex),
        excuses: segment.lists.excuses.map(\.hex), entries: segment.lists.entries.map(Entry.init))
    }
    plan = inspection.plan?.items.map {
      PlanItem(note: $0.noteID.hex, before: $0.before?.hex, after: $0.after?.hex)
    }
    damage = inspection.damage.map {
      Damage(code: Finding.Code($0).rawValue, message: "\($0)")
    }
  }
}
