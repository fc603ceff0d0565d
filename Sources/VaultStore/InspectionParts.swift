internal import VaultFormat
internal import VaultSealing

// The parts of each kind of file, in their order. The decoders of the format say what is wrong; what stands before
// that is listed all the same.
extension Inspection {
  /// The fields of the preamble, as many as are there.
  /// - Returns: the kind that the preamble names, where it is one.
  mutating func addPreamble(_ front: [UInt8]) -> VaultFormat.FileKind? {
    var reader = ByteReader(front.span)
    do {
      for (name, count) in [
        ("magic", 8), ("kind", 1), ("version", 1), ("suite", 1), ("zero", 1), ("length", 4),
      ] {
        let bytes = [UInt8](copying: try reader.bytes(count, as: name))
        let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        add(name, count, count == 8 ? .bytes(bytes) : .number(number))
      }
    } catch {
      // The decoder of the kind says so too.
    }
    if front.count > 9 { version = front[9] }
    if front.count > 10 { suite = front[10] }
    return front.count > 8 ? VaultFormat.FileKind(rawValue: front[8]) : nil
  }

  mutating func takeHeader(_ bytes: [UInt8]) throws(StoreError) {
    addMap(bytes, ["vault id", "vault salt", "first compartment"])
    do { _ = try VaultHeader(decoding: bytes.span) } catch { throw .damaged(path: [], error) }
  }

  mutating func takeSlot(_ bytes: [UInt8]) throws(StoreError) {
    let isWhole = addMap(
      bytes,
      [
        "vault id", "vault salt", "first compartment", "compartment", "purpose", "iterations",
        "slot salt", "locator", "signer", "label", "hint",
      ])
    if isWhole { addBox("box of the master key", Limits.slotBoxByteCount) }
    do { _ = try KeySlot(decoding: bytes.span, bounds: .standard) } catch {
      throw .damaged(path: [], error)
    }
  }

  mutating func takeSegment(_ bytes: [UInt8]) throws(StoreError) {
    let isWhole = addMap(
      bytes,
      [
        "compartment", "salt", "signer", "VAULT digest", "features", "lists byte count",
        "box byte count", Self.predecessors,
      ])
    var reader = ByteReader(bytes.span)
    if isWhole, let head = try? SegmentHead(parsing: &reader) {
      add("commitment", Limits.commitmentByteCount, nil)
      add("masked lists", head.listsByteCount, nil)
      addBox("box", head.boxByteCount)
      add("signature", Limits.signatureByteCount, nil)
    }
    do {
      let shown = try SegmentOpening.show(bytes.span)
      segment = Segment(id: shown.id, signatureHolds: shown.signatureHolds, lists: shown.lists)
    } catch {
      throw .sealing(error, path: [])
    }
  }

  mutating func takeSealedFile(
    _ file: borrowing InspectedFile, _ front: [UInt8]
  ) throws(StoreError) {
    let isWhole = addMap(
      front,
      [
        "compartment", "note id", "salt", "chunk size log2", "base nonce",
        "header box byte count",
      ])
    let head: SealedFileHead
    let geometry: ChunkGeometry
    do throws(FormatError) {
      var reader = ByteReader(front.span)
      head = try SealedFileHead(parsing: &reader)
      if isWhole {
        add("commitment", Limits.commitmentByteCount, nil)
        addBox("header box", head.headerBoxByteCount)
      }
      geometry = try ChunkGeometry(fileByteCount: fileByteCount, head: head)
    } catch {
      throw .damaged(path: file.path, error)
    }
    guard case .file(let digest, byteCount: _) = try file.state(note: head.noteID) else { return }
    chunks = Chunks(digest: digest, geometry: geometry)
    addChunks(geometry)
  }

  private mutating func addChunks(_ geometry: ChunkGeometry) {
    for chunk in 0..<min(geometry.chunkCount, Self.listedChunks) {
      add("chunk \(chunk)", geometry.fileRange(ofChunk: chunk).count, nil)
    }
    if geometry.chunkCount > Self.listedChunks {
      let rest = fileByteCount - end
      add("chunks \(Self.listedChunks) to \(geometry.chunkCount - 1)", rest, nil)
    }
  }

  mutating func addLocalParts() {
    add("magic", 8, nil)
    add("version", 4, nil)
    add("salt", 32, nil)
    add("commitment", Limits.commitmentByteCount, nil)
    addBox("box", fileByteCount - end)
  }

  // MARK: - Parts

  /// Where the next part begins.
  private var end: Int { parts.last.map { $0.offset + $0.byteCount } ?? 0 }

  /// Adds a part if all of it, and of those before it, is in the file.
  private mutating func add(_ name: String, _ byteCount: Int, _ value: Value?) {
    isCut = isCut || byteCount <= 0 || byteCount > fileByteCount - end
    if isCut { return }
    parts.append(Part(offset: end, byteCount: byteCount, name: name, value: value))
  }

  /// A sealed box: nonce, ciphertext and tag (spec §3.4).
  private mutating func addBox(_ name: String, _ byteCount: Int) {
    add("\(name): nonce", Limits.nonceByteCount, nil)
    add("\(name): ciphertext", byteCount - Limits.boxOverhead, nil)
    add("\(name): tag", Limits.tagByteCount, nil)
  }
}

// MARK: - Public maps

extension Inspection {
  /// The map head and the keys 1, 2, … with their names, then the keys of later versions.
  /// - Returns: whether all of the map was read.
  @discardableResult
  private mutating func addMap(_ file: [UInt8], _ names: [String]) -> Bool {
    guard case .number(let length)? = parts.last?.value, parts.last?.name == "length",
      length <= UInt64(file.count - end)
    else { return false }
    let start = end
    var map = CBOR.Reader(
      file.span.extracting(start..<(start + Int(length))), baseOffset: start)
    do {
      var keys = try map.readMapHeader(as: "public map")
      add("public map", map.offset - end, nil)
      for (index, name) in names.enumerated() {
        guard try map.hasKey(UInt64(index + 1), in: &keys) else { continue }
        if name == Self.predecessors {
          try addPredecessors(&map)
          continue
        }
        let value = try map.readValue(as: name)
        add(name, map.offset - end, value)
      }
      for pair in try map.finishMap(&keys).pairs {
        let byteCount = CBOR.byteCount(ofUnsigned: pair.key) + pair.value.count
        add("key \(pair.key) of a later version", byteCount, .bytes(pair.value))
      }
      return end == start + Int(length)
    } catch {
      return false
    }
  }
}

extension Inspection {
  fileprivate static let predecessors = "predecessors"

  /// Key 8 of a hand-over: one part for each value, so that each can be found in the file.
  fileprivate mutating func addPredecessors(_ map: inout CBOR.Reader) throws(FormatError) {
    let count = try map.readArrayHeader(
      Limits.predecessors, elementByteCount: 1, as: Self.predecessors)
    add(Self.predecessors, map.offset - end, .number(UInt64(count)))
    for number in 1...count {
      _ = try map.readArrayHeader(3...3, elementByteCount: 1, as: "predecessor")
      for part in ["signer", "signature", "box"] {
        let name = "\(part) of predecessor \(number)"
        let bytes = [UInt8](copying: try map.readBytes(nil, as: name))
        add(name, map.offset - end, .bytes(bytes))
      }
    }
  }
}

extension CBOR.Reader {
  /// A value of one of the types that public maps have.
  fileprivate mutating func readValue(as field: String) throws(FormatError) -> Inspection.Value {
    switch try nextType(as: field) {
    case .bytes:
      return .bytes([UInt8](copying: try readBytes(nil, as: field)))
    case .text:
      return .text(try readText(nil, as: field))
    case .array:
      let count = try readArrayHeader(0...4_096, elementByteCount: 1, as: field)
      var numbers: [UInt64] = []
      for _ in 0..<count { numbers.append(try readUnsigned(as: field)) }
      return .numbers(numbers)
    case .unsigned, .negative, .map, .bool:
      return .number(try readUnsigned(as: field))
    }
  }
}

extension CBOR {
  /// How many bytes an unsigned integer takes.
  fileprivate static func byteCount(ofUnsigned value: UInt64) -> Int {
    switch value {
    case ..<24: 1
    case ..<0x100: 2
    case ..<0x1_0000: 3
    case ..<0x1_0000_0000: 5
    default: 9
    }
  }
}
