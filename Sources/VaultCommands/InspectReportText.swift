import VaultFormat
import VaultStore

/// What `inspect` prints for people.
struct InspectReportText {
  let inspection: Inspection

  /// How many ids or chunks are listed before the rest is only counted.
  private static let listed = 16

  var lines: [String] {
    head + [""] + table + segment + plan
  }

  private var head: [String] {
    let version = inspection.version.map { ", format version \($0)" } ?? ""
    let suite = inspection.suite.map { ", suite \($0)" } ?? ""
    var lines = [
      "kind       \(inspection.kind.rawValue)\(version)\(suite)",
      "bytes      \(inspection.fileByteCount)",
      "SHA-256    \(inspection.sha256.hex)",
    ]
    if let chunks = inspection.chunks {
      lines.append("digest     \(chunks.digest.hex)")
      let geometry = chunks.geometry
      let size = min(geometry.chunkByteCount, geometry.byteCount(ofChunk: 0))
      lines.append(
        geometry.chunkCount == 1
          ? "chunks     1 of \(size) bytes"
          : "chunks     \(geometry.chunkCount): \(size) bytes each, the last "
            + "\(geometry.lastChunkByteCount)")
    }
    if let segment = inspection.segment {
      lines.append("segment    \(segment.id.hex)")
      lines.append("signature  \(segment.signatureHolds ? "holds" : "does not hold")")
    }
    return lines
  }

  // MARK: - Parts

  private var table: [String] {
    let chunks = inspection.parts.filter { $0.name.hasPrefix("chunk ") }.count
    var lines = ["    offset       bytes  part"]
    for part in inspection.parts.prefix(inspection.parts.count - max(0, chunks - Self.listed)) {
      let value = part.value.map { " = \(text(of: $0))" } ?? ""
      lines.append(
        "\(column(part.offset, 10))  \(column(part.byteCount, 10))  \(part.name)\(value)")
    }
    if chunks > Self.listed { lines.append("    … (--json lists more chunks)") }
    return lines
  }

  private func text(of value: Inspection.Value) -> String {
    switch value {
    case .number(let number): "\(number)"
    case .numbers(let numbers): "[\(numbers.map(String.init).joined(separator: ", "))]"
    case .bytes(let bytes): JSONText.hex(bytes)
    case .text(let text): DisplayName(text).quoted
    }
  }

  private func column(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: " ", count: max(0, width - digits.count)) + digits
  }

  // MARK: - Lists

  private var segment: [String] {
    guard let lists = inspection.segment?.lists else { return [] }
    var lines = [""]
    for (name, ids) in [
      ("parent", lists.parents), ("replaces", lists.replaces), ("excuses", lists.excuses),
    ] {
      lines += ids.prefix(Self.listed).map { "\(name) \($0.hex)" }
      if ids.count > Self.listed { lines.append("… \(ids.count) in all (--json lists them)") }
    }
    let kinds = lists.entries.map(\.id.kind)
    let counts = ["notes", "slots", "companions"].enumerated().map { kind, name in
      "\(name) \(kinds.count { $0 == UInt64(kind) })"
    }
    lines.append("entries \(lists.entries.count): \(counts.joined(separator: ", "))")
    return lines
  }

  private var plan: [String] {
    inspection.plan.map { ["", "planned notes: \($0.items.count)"] } ?? []
  }
}
