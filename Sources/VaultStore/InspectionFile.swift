internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// The file that is inspected.
struct InspectedFile: ~Copyable {
  let path: [UInt8]
  let byteCount: Int
  private let file: FileDescriptor

  /// The most bytes before chunk 0, which is where everything public stands in a sealed file.
  private static let frontByteCount = SealedFileHead.maximumChunksOffset

  init(path: [UInt8]) throws(StoreError) {
    let file = try Self.open(path)
    do { byteCount = Int(clamping: try file.status().byteCount) } catch {
      throw .system(error, path: path)
    }
    self.path = path
    self.file = file
  }

  /// The first bytes.
  func front() throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(byteCount, Self.frontByteCount))
    var target = bytes.mutableSpan
    do {
      let count = try file.read(into: &target, at: 0)
      bytes.removeLast(bytes.count - count)
      return bytes
    } catch {
      throw .system(error, path: path)
    }
  }

  /// All bytes.
  /// - Throws: `damaged` for more bytes than a file of its kind can have.
  func whole(limit: Int) throws(StoreError) -> [UInt8] {
    do { return try file.readWhole(limit: limit) } catch {
      if case .overLimit = error { throw .damaged(path: path, .trailingBytes(offset: limit)) }
      throw .system(error, path: path)
    }
  }

  /// The file as a plan; nil where it is none.
  func plan() throws(StoreError) -> CommitPlan? {
    guard Limits.planByteCount.contains(byteCount) else { return nil }
    let bytes = try whole(limit: byteCount)
    return try? CommitPlan(decoding: bytes.span)
  }

  func sha256() throws(StoreError) -> Digest {
    var buffer = [UInt8](repeating: 0, count: min(max(byteCount, 1), 1 << 20))
    var hasher: SHA256Hasher
    do { hasher = try SHA256Hasher() } catch { throw .crypto(error) }
    var offset: UInt64 = 0
    while true {
      var target = buffer.mutableSpan
      let count: Int
      do { count = try file.read(into: &target, at: offset) } catch {
        throw .system(error, path: path)
      }
      do { try hasher.update(buffer.span.extracting(first: count)) } catch {
        throw .crypto(error)
      }
      offset += UInt64(count)
      if count < buffer.count { break }
    }
    do { return Digest(try hasher.finish()) } catch { throw .crypto(error) }
  }

  /// The digest of a sealed file.
  func state(note: NoteID) throws(StoreError) -> State {
    var hasher = try NoteHasher()
    return try hasher.state(of: try Self.open(path), note: note, path: path)
  }

  private static func open(_ path: [UInt8]) throws(StoreError) -> FileDescriptor {
    let (parent, name) = Directory.split(path)
    do throws(SystemError) {
      guard let name else { throw .notRegular(.folder) }
      return try Directory(path: parent).openFile(name)
    } catch {
      throw .system(error, path: path)
    }
  }
}
