import Testing
import VaultFormat
import VaultTestSupport

/// The examples of `fixtures/vectors/vault`, which are made from the spec alone by another program.
@Suite struct KnownAnswerTests {
  @Test func theFileVAULT() throws {
    let vector = try Fixtures.json("vectors/vault/vault.json", as: VaultVector.self)
    let vault = try VaultHeader(decoding: vector.file.bytes.span)
    #expect(vault.vaultID.bytes == vector.vaultId.bytes)
    #expect(vault.vaultSalt.bytes == vector.vaultSalt.bytes)
    #expect(vault.firstCompartment.bytes == vector.firstCompartmentId.bytes)
    let built = try VaultHeader(
      vaultID: vault.vaultID, vaultSalt: vault.vaultSalt,
      firstCompartment: vault.firstCompartment, laterKeys: LaterKeys())
    #expect(built.encoded() == vector.file.bytes)
  }

  @Test func theSlots() throws {
    let vectors = try Fixtures.json("vectors/vault/slots.json", as: SlotVectors.self).slots
    #expect(vectors.count == 2)
    for vector in vectors {
      let slot = try KeySlot(decoding: vector.file.bytes.span, bounds: .standard)
      let head = slot.head
      #expect(head.purpose.rawValue == vector.purpose && head.iterations == vector.iterations)
      #expect(head.slotSalt.bytes == vector.slotSalt.bytes)
      #expect(head.signer.bytes == vector.signer.bytes)
      #expect(head.compartment.bytes == vector.compartmentId.bytes)
      #expect(head.label == vector.label && head.hint == vector.hint)
      #expect(head.prefix == vector.prefix.bytes && slot.box == vector.box.bytes)
      #expect(FileNameHex.name(of: head.locator) == Array(vector.fileName.utf8))
      let built = try KeySlotHead(
        vaultID: head.vaultID, vaultSalt: head.vaultSalt, firstCompartment: head.firstCompartment,
        compartment: head.compartment, purpose: head.purpose, iterations: head.iterations,
        slotSalt: head.slotSalt, locator: head.locator, signer: head.signer, label: head.label,
        hint: head.hint, laterKeys: LaterKeys(), bounds: .standard)
      #expect(built.prefix == vector.prefix.bytes)
    }
  }

  @Test func theSealedFiles() throws {
    let vectors = try Fixtures.json("vectors/vault/sealed-files.json", as: FileVectors.self).files
    #expect(vectors.count == 5)
    for vector in vectors {
      let bytes = vector.file.bytes
      var reader = ByteReader(bytes.span)
      let head = try SealedFileHead(parsing: &reader)
      #expect(head.prefix == vector.prefix.bytes && head.salt.bytes == vector.salt.bytes)
      #expect(head.noteID.bytes == vector.noteId.bytes)
      #expect(head.chunkSizeLog2 == vector.chunkLog2)
      #expect(head.baseNonce.bytes == vector.baseNonce.bytes)
      #expect(Array(bytes[head.commitmentRange]) == vector.commitment.bytes)
      #expect(Array(bytes[head.headerBoxRange]) == vector.headerBox.bytes)
      let geometry = try ChunkGeometry(fileByteCount: bytes.count, head: head)
      try geometry.check(payloadByteCount: vector.contentRecord.payloadByteCount, head: head)
      #expect(geometry.streamByteCount == vector.streamByteCount)
      #expect(geometry.chunkCount == vector.chunks.count)
      for (index, chunk) in vector.chunks.enumerated() {
        let nonce = head.baseNonce.xored(
          final: geometry.isFinal(index), chunk: UInt64(index))
        #expect(nonce.bytes == chunk.nonce.bytes)
        let range = geometry.fileRange(ofChunk: index)
        #expect(range.count == chunk.byteCount)
        #expect(Array(bytes[range].suffix(16)) == chunk.tag.bytes)
      }
      try check(vector)
    }
  }

  private func check(_ vector: FileVectors.File) throws {
    let header = try NoteHeader(decoding: vector.headerPlain.bytes.span)
    #expect(header.path == vector.path.bytes && header.executable == vector.executable)
    let record = try vector.contentRecord.value
    #expect(header.content == record)
    let built = try NoteHeader(path: header.path, content: record, executable: header.executable)
    #expect(built.encoded() == vector.headerPlain.bytes)
  }

  @Test func theSegments() throws {
    let vectors = try Fixtures.json("vectors/vault/segments.json", as: SegmentVectors.self).segments
    #expect(vectors.count == 3)
    for vector in vectors {
      let bytes = vector.file.bytes
      let file = try SegmentFile(decoding: bytes.span)
      #expect(file.head.prefix == vector.prefix.bytes && file.head.salt.bytes == vector.salt.bytes)
      #expect(Array(bytes[file.commitmentRange]) == vector.commitment.bytes)
      #expect(Array(bytes[file.maskedListsRange]) == vector.maskedLists.bytes)
      #expect(Array(bytes[file.boxRange]) == vector.box.bytes)
      #expect(Array(bytes[file.signatureRange]) == vector.signature.bytes)
      let lists = try SegmentLists(decoding: vector.lists.bytes.span)
      #expect(lists.encoded() == vector.lists.bytes)
      #expect(lists.parents.map(\.bytes) == vector.parents.map(\.bytes))
      #expect(lists.replaces.map(\.bytes) == vector.replaces.map(\.bytes))
      #expect(lists.excuses.map(\.bytes) == vector.excuses.map(\.bytes))
      #expect(lists.entries.count == vector.entries.count)
      for (entry, expected) in zip(lists.entries, vector.entries) { check(entry, expected) }
      let body = try SegmentBody(decoding: vector.expanded.bytes.span, entries: lists.entries)
      #expect(body.encoded() == vector.expanded.bytes)
      try check(body, vector.entries.filter { $0.kind == 0 })
      let plain = vector.boxPlain.bytes
      let frame = try SegmentBoxFrame(decoding: plain.span, entryCount: lists.entries.count)
      #expect(frame.compression.rawValue == vector.compression)
      #expect(Array(plain[frame.bodyRange]) == vector.body.bytes)
      #expect(frame.expandedByteCount == vector.expanded.bytes.count)
      #expect(frame.encoded(body: vector.body.bytes) == plain)
    }
  }

  private func check(_ entry: IndexEntry, _ expected: SegmentVectors.Entry) {
    let id: [UInt8] =
      switch entry.id {
      case .note(let id): id.bytes
      case .slot(let locator): locator.bytes
      case .companion(let path): path
      }
    #expect(entry.id.kind == expected.kind && id == expected.id.bytes)
    #expect(entry.over.map(\.bytes) == expected.over.map(\.bytes))
    #expect(entry.placeVersion == expected.placeVersion)
    #expect(entry.laterKeys.isEmpty == (expected.map == nil))
    #expect(entry.states.count == expected.states.count)
    for (state, expected) in zip(entry.states, expected.states) {
      switch state {
      case .grave(let grave): #expect(grave.bytes == expected.grave?.bytes)
      case .file(let digest, let byteCount):
        #expect(digest.bytes == expected.digest?.bytes && byteCount == expected.byteCount)
      }
    }
  }

  private func check(_ body: SegmentBody, _ entries: [SegmentVectors.Entry]) throws {
    #expect(body.items.count == entries.count)
    for (item, entry) in zip(body.items, entries) {
      #expect(item.place?.path == entry.place?.path.bytes)
      #expect(item.place?.executable == entry.place?.executable)
      #expect(item.records.count == entry.states.count { $0.digest != nil })
    }
  }

  @Test func thePlan() throws {
    let vector = try Fixtures.json("vectors/vault/plan.json", as: PlanVector.self)
    let plan = try CommitPlan(decoding: vector.encoded.bytes.span)
    #expect(plan.encoded() == vector.encoded.bytes)
    #expect(plan.items.map(\.noteID.bytes) == vector.items.map(\.noteId.bytes))
    #expect(plan.items.map { $0.before?.bytes ?? [] } == vector.items.map(\.before.bytes))
    #expect(plan.items.map { $0.after?.bytes ?? [] } == vector.items.map(\.after.bytes))
  }
}
