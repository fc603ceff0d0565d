import VaultFormat
import VaultStore

/// The three files that git hands to a merge driver.
struct MergeFiles {
  /// Empty or of another note where the sides have no common version.
  let base: [UInt8]
  let ours: [UInt8]
  let theirs: [UInt8]
}

/// Why the versions of a note are left to a person.
enum MergeRefusal: Error {
  case noKeys
  case notOneNote
  case notText
  case tooLarge
  case versionsWanted
  case git(Git.Refusal)
  case store(StoreError)
}

extension MergeRefusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .noKeys: "no session is open ('vaulttool unlock') and no passphrase command is configured"
    case .notOneNote: "the files are not two versions of one note"
    case .notText: "it is no text; take one side"
    case .tooLarge: "it is too large to be merged; take one side"
    case .versionsWanted: "both sides changed the same lines; take one side"
    case .git(let refusal): "\(refusal)"
    case .store(let error): error.text
    }
  }
}

/// Merges two versions of a note as git merges text, and seals the result (spec §7.6). Plain text passes to git in memory
/// only.
struct MergeDriver {
  private let files: MergeFiles
  private let markerSize: Int
  private let keys: NoteKeys

  init(_ files: MergeFiles, markerSize: Int, keys: NoteKeys) {
    self.files = files
    self.markerSize = markerSize
    self.keys = keys
  }

  /// Writes what was merged in place of the file of our side.
  /// - Returns: whether no conflict is left in it.
  /// - Throws: why that file was left as it was.
  func run() throws(MergeRefusal) -> Bool {
    let (id, compartment) = try note()
    guard let secret = keys.secret(of: compartment) else { throw .noKeys }
    do {
      let driving = MergeDriving(secret, of: id)
      let ours = try driving.open(try Self.open(files.ours))
      let theirs = try driving.open(try Self.open(files.theirs))
      // A base that is no version of this note is none.
      let base = (try? driving.open(try Self.open(files.base)))?.content ?? []
      let (merged, isClean) = try merge(base, ours, theirs)
      try write(try driving.seal(merged, from: ours, and: theirs))
      return isClean
    } catch let error as StoreError {
      if case .system(.overLimit, _) = error { throw .tooLarge }
      throw .store(error)
    } catch {
      throw error as? MergeRefusal ?? .notOneNote
    }
  }

  /// Which note both sides are, as their public parts say; the keys prove it.
  private func note() throws(MergeRefusal) -> (NoteID, CompartmentID) {
    do {
      var scratch = RunBuffer()
      let ours = try SealedFileReader(
        Self.open(files.ours), path: files.ours, scratch: &scratch
      ).head
      let theirs = try SealedFileReader(
        Self.open(files.theirs), path: files.theirs, scratch: &scratch
      ).head
      guard ours.noteID == theirs.noteID, ours.compartment == theirs.compartment else {
        throw MergeRefusal.notOneNote
      }
      return (ours.noteID, ours.compartment)
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      throw .notOneNote
    }
  }

  private func merge(
    _ base: [UInt8], _ ours: MergeDriving.Version, _ theirs: MergeDriving.Version
  ) throws -> (content: [UInt8], isClean: Bool) {
    if ours.content == theirs.content { return (ours.content, true) }
    guard ours.note.header.content.type == .file, theirs.note.header.content.type == .file else {
      throw MergeRefusal.notText
    }
    let own = try Self.memory(ours.content)
    let common = try Self.memory(base)
    let other = try Self.memory(theirs.content)
    var call = Git.Call([
      "merge-file", "-p", "-q", "--marker-size=\(markerSize)", "-L", "ours", "-L", "base", "-L",
      "theirs", "/proc/self/fd/3", "/proc/self/fd/4", "/proc/self/fd/5",
    ])
    call.descriptors = [own.file.number, common.file.number, other.file.number]
    let outcome: ChildProgram.Outcome
    do {
      outcome = try Git.outcome(
        of: call, in: Array(".".utf8), limit: 3 * MergeDriving.contentByteCount)
    } catch {
      throw MergeRefusal.git(error)
    }
    // The status is the number of conflicts up to 127; 255 for what git does not take for text.
    guard outcome.status <= 127 else { throw MergeRefusal.notText }
    if outcome.status > 0, keys.settings?.conflict == Array("versions".utf8) {
      throw MergeRefusal.versionsWanted
    }
    return (outcome.output, outcome.status == 0)
  }

  private static func memory(_ content: [UInt8]) throws(StoreError) -> MemoryFile {
    do { return try MemoryFile(holding: content.span) } catch { throw .system(error, path: []) }
  }

  private static func open(_ path: [UInt8]) throws(StoreError) -> FileDescriptor {
    let (folder, name) = split(path)
    do { return try Directory(path: folder).openFile(name) } catch {
      throw .system(error, path: path)
    }
  }

  private func write(_ sealed: [UInt8]) throws(StoreError) {
    let (folder, name) = Self.split(files.ours)
    do {
      try AtomicWrite.save(
        sealed.span, as: name, in: try Directory(path: folder), mode: 0o666,
        temporaryName: name.prefix(200) + Array(".vaulttool".utf8), replacing: .allowed)
    } catch {
      throw .system(error, path: files.ours)
    }
  }

  private static func split(_ path: [UInt8]) -> (folder: [UInt8], name: [UInt8]) {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
      return (Array(".".utf8), path)
    }
    return (slash == 0 ? Array("/".utf8) : Array(path[..<slash]), Array(path[(slash + 1)...]))
  }
}
