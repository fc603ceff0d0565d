internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// What a regular file is by its own bytes, whatever its name says.
package struct RepairFile: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// A whole `VAULT`.
    case header
    case slot(Locator, CompartmentID, VaultID, salt: Salt)
    /// A segment whose signature holds; `vault` is the SHA-256 of the `VAULT` that it names.
    case segment(SegmentID, CompartmentID, vault: Digest)
    case note(NoteID, CompartmentID, salt: Salt)
    /// A sealed file that was cut or extended, so that only its front can be read.
    case brokenNote(NoteID, salt: Salt)
    /// What begins like a file of a vault, or as such a file begins after a damage that has a name, and is none.
    case damaged
    case other
  }

  package let content: Content
  /// Of a note its digest, of everything else its SHA-256; nil for what is too large to be a file of its kind.
  package let state: State?
  /// Two names with equal identities are one file.
  package let identity: FileIdentity
}

/// Finds out what files are.
struct RepairFileReader {
  /// Of the vault that the files should belong to.
  let vaultID: VaultID
  let bounds: KDFBounds

  /// Nil where there is no regular file of that name that can be read.
  /// - Throws: `crypto`; `sealing` where libcrypto gives no memory.
  func read(_ name: [UInt8], in folder: borrowing Directory) throws(StoreError) -> RepairFile? {
    let front: [UInt8]
    let status: FileStatus
    do throws(SystemError) {
      let file = try folder.openFile(name)
      status = try file.status()
      var bytes = [UInt8](repeating: 0, count: SealedFileHead.maximumChunksOffset)
      var room = bytes.mutableSpan
      let count = try file.read(into: &room, at: 0)
      front = Array(bytes[..<count])
    } catch {
      return nil  // whatever it is, nothing is done with it
    }
    let unknown: RepairFile.Content = Self.isDamage(front) ? .damaged : .other
    let kind =
      front.starts(with: Preamble.magic) && front.count > Preamble.magic.count
      ? VaultFormat.FileKind(rawValue: front[Preamble.magic.count]) : nil
    let content: RepairFile.Content
    switch kind {
    case .sealedFile: return try note(name, in: folder, front, status)
    case .segment: content = try segment(name, in: folder) ?? unknown
    case .vault:
      let isWhole = (try? VaultHeader(decoding: front.span)) != nil
      content = isWhole ? .header : unknown
    case .slot:
      let head = try? KeySlot(decoding: front.span, bounds: bounds).head
      content =
        head.map { .slot($0.locator, $0.compartment, $0.vaultID, salt: $0.slotSalt) } ?? unknown
    case nil: content = unknown
    }
    return RepairFile(
      content: content, state: try state(name, in: folder), identity: status.identity)
  }

  private static func isDamage(_ front: [UInt8]) -> Bool {
    let start = front.span.extracting(first: Recognition.byteCount)
    return Recognition.damage(inFirst: start) != .wrongMagic || front.allSatisfy { $0 == 0 }
  }

  private func note(
    _ name: [UInt8], in folder: borrowing Directory, _ front: [UInt8], _ status: FileStatus
  ) throws(StoreError) -> RepairFile {
    var reader = ByteReader(front.span)
    let head: SealedFileHead
    do { head = try SealedFileHead(parsing: &reader) } catch {
      let content: RepairFile.Content
      switch error {
      // Whoever knows that version can read it.
      case .newerVersion, .newerSuite: content = .other
      default: content = .damaged
      }
      return RepairFile(content: content, state: nil, identity: status.identity)
    }
    var hasher = try NoteHasher()
    do throws(StoreError) {
      let file: FileDescriptor
      do { file = try folder.openFile(name) } catch { throw .system(error, path: name) }
      return RepairFile(
        content: .note(head.noteID, head.compartment, salt: head.salt),
        state: try hasher.state(of: file, note: head.noteID, path: name),
        identity: status.identity)
    } catch {
      if case .sealing = error { throw error }
      return RepairFile(
        content: .brokenNote(head.noteID, salt: head.salt), state: nil, identity: status.identity)
    }
  }

  /// Nil for a segment whose signature does not hold.
  private func segment(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> RepairFile.Content? {
    guard let segment = try liveSegment(name, in: folder) else { return nil }
    let head = segment.verified.file.head
    return .segment(segment.id, head.compartment, vault: head.vaultDigest)
  }

  /// The segment in a file, whatever its name; nil where its signature does not hold. A large file is looked at in pieces
  /// before it is loaded.
  func liveSegment(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> LiveSegment? {
    do throws(StoreError) {
      if try isLarge(name, in: folder) {
        let file: FileDescriptor
        do { file = try folder.openFile(name) } catch { return nil }
        let large = try LargeSegment(file, path: name)
        _ = try large.verify(try large.head(), vaultID: vaultID)
      }
      guard let bytes = try? folder.readWhole(name, limit: SegmentFile.mostByteCount) else {
        return nil
      }
      do {
        return LiveSegment(try SegmentOpening.verify(bytes.span, vaultID: vaultID), bytes: bytes)
      } catch {
        throw .sealing(error, path: name)
      }
    } catch {
      switch error {
      case .crypto, .sealing(.crypto, _): throw error
      default: return nil
      }
    }
  }

  private func isLarge(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> Bool {
    do {
      return (try folder.status(of: name)?.byteCount ?? 0)
        > UInt64(LargeSegment.thresholdByteCount)
    } catch {
      throw .system(error, path: name)
    }
  }

  /// SHA-256 and byte count; nil for what has more bytes than a small file of a vault, or a segment, may have.
  private func state(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> State? {
    guard let bytes = try? folder.readWhole(name, limit: Limits.companionFileByteCount) else {
      return nil
    }
    return try Self.state(of: bytes)
  }

  /// The state of anything but a note.
  static func state(of bytes: [UInt8]) throws(StoreError) -> State {
    do {
      return .file(Digest(try SHA256.digest(bytes.span)), byteCount: UInt64(bytes.count))
    } catch {
      throw .crypto(error)
    }
  }
}
