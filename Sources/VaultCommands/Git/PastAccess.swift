import VaultFormat
import VaultStore

/// The keys for all states of a vault in a repository: those of the folder's present state and of what it took over.
struct PastAccess {
  let place: GitPlace
  let opened: OpenedSlots
  /// What lies in the folder.
  let present: VaultFolder
  let snapshot: Snapshot

  /// - Throws: `secret`, `store`, `refused` where the folder is in no repository.
  init(
    at path: [UInt8], _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) {
    do { place = try GitPlace(folder: path) } catch { throw error.asCommandError }
    let sources: SecretSources
    if place.isBare {
      do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
      let newest = try Self.newest(at: place)
      present = newest.vault
      snapshot = newest.snapshot
    } else {
      let keyless = try KeylessVault(at: path, arguments)
      sources = keyless.sources
      present = keyless.folder
      snapshot = keyless.snapshot
    }
    let pending = try VaultAccess.begin(
      present, snapshot, sources, console, unnamed: .repositoryThenPerson)
    do { opened = try pending.finish().withPast(of: snapshot) } catch { throw .store(error) }
  }

  /// What HEAD has, where there is no folder.
  private static func newest(at place: GitPlace) throws(CommandError) -> GitStateFiles {
    let revision = Array("HEAD".utf8)
    do {
      return try GitStateFiles(of: place.commit(revision), revision: revision, at: place)
    } catch {
      throw error.asCommandError
    }
  }

  /// The state that lies in the folder; in a bare repository the one that HEAD has.
  func folder() throws(CommandError) -> PastVault {
    if place.isBare { return try state(at: Array("HEAD".utf8)) }
    return try PastVault(try read(snapshot, of: present), at: place)
  }

  /// The state that a commit has.
  func state(at revision: [UInt8]) throws(CommandError) -> PastVault {
    let (commit, state): (GitID, GitStateFiles)
    do {
      commit = try place.commit(revision)
      state = try GitStateFiles(of: commit, revision: revision, at: place)
    } catch {
      throw error.asCommandError
    }
    return PastVault(
      try read(state.snapshot, of: state.vault), state.files, of: commit, at: place)
  }

  private func read(
    _ snapshot: Snapshot, of vault: VaultFolder
  ) throws(CommandError) -> UnlockedVault {
    do { return try opened.readOther(snapshot, of: vault) } catch { throw .store(error) }
  }
}

/// The index of a commit's state, read, and the names of its files.
struct GitStateFiles {
  let vault: VaultFolder
  let snapshot: Snapshot
  let files: [GitFile]

  init(of commit: GitID, revision: [UInt8], at place: GitPlace) throws(GitStateError) {
    let state = try GitState(of: commit, revision: revision, .index, at: place)
    do {
      vault = try state.open()
      snapshot = try Snapshot.load(vault, bounds: .standard)
    } catch {
      throw .store(error)
    }
    files = state.files
  }
}
