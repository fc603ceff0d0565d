internal import VaultFormat

/// Moves, writes and removes files of a vault so that at every moment each byte is there once at least. Paths are relative
/// to the vault.
struct RepairFiles {
  let root: SharedFolder
  let reader: RepairFileReader

  /// Gives a file its proper name.
  /// - Throws: `changedMeanwhile` when it is not what it was when the repair was planned; `system`.
  func move(
    _ from: [UInt8], to path: [UInt8], _ file: RepairFile, _ replacing: Replacing
  ) throws(StoreError) {
    let source = try parent(of: from)
    guard try reader.read(Self.name(of: from), in: source) == file else {
      throw .changedMeanwhile
    }
    let target = try madeParent(of: path)
    do {
      try source.rename(Self.name(of: from), to: target, Self.name(of: path), replacing: replacing)
      try target.sync()
      try source.sync()
    } catch {
      throw .system(error, path: path)
    }
  }

  /// Removes a file whose bytes are those of another, which is not the same file under a second name.
  /// - Throws: `changedMeanwhile` when it is not so; `system`.
  func remove(_ path: [UInt8], equalTo other: [UInt8]) throws(StoreError) {
    let folder = try parent(of: path)
    let proper = try parent(of: other)
    let isCopy: Bool
    do throws(SystemError) {
      let file = try folder.openFile(Self.name(of: path))
      let original = try proper.openFile(Self.name(of: other))
      if try file.status().identity == original.status().identity {
        isCopy = false
      } else {
        isCopy = try Self.areEqual(file, original)
      }
    } catch {
      throw .system(error, path: path)
    }
    guard isCopy else { throw .changedMeanwhile }
    try remove(path)
  }

  /// Removes a file.
  func remove(_ path: [UInt8]) throws(StoreError) {
    let folder = try parent(of: path)
    do {
      try folder.unlink(Self.name(of: path))
      try folder.sync()
    } catch {
      throw .system(error, path: path)
    }
  }

  /// Removes an empty folder.
  func removeFolder(_ path: [UInt8]) throws(StoreError) {
    do { try parent(of: path).removeDirectory(Self.name(of: path)) } catch let error as SystemError
    {
      throw .system(error, path: path)
    } catch {
      throw error as? StoreError ?? .changedMeanwhile
    }
  }

  /// Writes a file as a run of a writer does: what a stop leaves of it the next writer removes.
  /// - Throws: `system`, with `exists` when something is there that must not be replaced.
  func write(
    _ bytes: [UInt8], to path: [UInt8], _ replacing: Replacing
  ) throws(StoreError) {
    let id: NoteID
    do { id = try Fresh().id } catch { throw .sealing(error, path: path) }
    let target = try madeParent(of: path)
    let run = try StagingRun(in: root.folder, id: id)
    do throws(SystemError) {
      let file = try run.folder.createFile(Layout.stagedSlot, mode: 0o666)
      try file.write(bytes.span, at: 0)
      try file.sync()
      try file.close()
      guard try run.folder.readWhole(Layout.stagedSlot, limit: bytes.count) == bytes else {
        throw SystemError(call: "read", code: .inputOutput)
      }
      try run.folder.rename(
        Layout.stagedSlot, to: target, Self.name(of: path), replacing: replacing)
      try target.sync()
    } catch {
      throw .system(error, path: path)
    }
  }

  /// The bytes of a slot, if they have this state.
  /// - Throws: `changedMeanwhile`, `system`.
  func slot(_ path: [UInt8], _ state: State) throws(StoreError) -> [UInt8] {
    let folder = try parent(of: path)
    let bytes: [UInt8]
    do {
      bytes = try folder.readWhole(Self.name(of: path), limit: Limits.slotFileByteCount)
    } catch {
      throw .system(error, path: path)
    }
    guard try RepairFileReader.state(of: bytes) == state else { throw .changedMeanwhile }
    return bytes
  }

  // MARK: - Folders

  private static func name(of path: [UInt8]) -> [UInt8] { Layout.parts(of: path).last ?? [] }

  private func parent(of path: [UInt8]) throws(StoreError) -> Directory {
    do {
      return try root.folder.open(components: Layout.parts(of: path).dropLast())
    } catch {
      throw .system(error, path: path)
    }
  }

  /// The folder that a file will lie in; it is made where it is not there.
  private func madeParent(of path: [UInt8]) throws(StoreError) -> Directory {
    do throws(SystemError) {
      var folder = try root.folder.reopened()
      for name in Layout.parts(of: path).dropLast() {
        if try folder.status(of: name) == nil {
          try folder.makeDirectory(name, mode: 0o777)
          try folder.sync()
        }
        folder = try Directory(opening: name, in: folder)
      }
      return folder
    } catch {
      throw .system(error, path: path)
    }
  }

  private static func areEqual(
    _ file: borrowing FileDescriptor, _ other: borrowing FileDescriptor
  ) throws(SystemError) -> Bool {
    var buffers = (RunBuffer(), RunBuffer())
    var offset = 0
    while true {
      try buffers.0.fill(from: file, offset: offset, count: pieceByteCount)
      try buffers.1.fill(from: other, offset: offset, count: pieceByteCount)
      guard buffers.0.bytes.holdsSameBytes(as: buffers.1.bytes) else { return false }
      if buffers.0.count == 0 { return true }
      offset += buffers.0.count
    }
  }

  private static let pieceByteCount = 1 << 18
}
