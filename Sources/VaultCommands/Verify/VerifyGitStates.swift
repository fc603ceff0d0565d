import VaultFormat
import VaultStore

/// The states that a verification takes from git: what it checks, and what it compares with.
struct VerifyGitStates: ~Copyable {
  /// The vault to check: the folder that was named, or git's index laid out.
  let path: [UInt8]
  let since: VerifySinceBase?
  /// What git's index holds, where that is checked; it lies on disk as long as this lives.
  private let staged: GitState?

  init(_ request: VerifyGitRequest, path: [UInt8], _ console: Console) throws(CommandError) {
    var checked = path
    var base: VerifySinceBase?
    var index: GitState?
    if request.since != nil || request.isStaged {
      let place: GitPlace
      do { place = try GitPlace(folder: path) } catch { throw error.asCommandError }
      if let revision = request.since { base = try Self.base(revision, at: place) }
      if request.isStaged {
        let state = try Self.index(at: place, console)
        checked = state.folder.path
        index = consume state
      }
    }
    self.path = checked
    since = base
    staged = index
  }

  /// Ends the life of what was laid out, not before it was used.
  consuming func end() {}

  private static func index(
    at place: GitPlace, _ console: Console
  ) throws(CommandError) -> GitState {
    do {
      let variables = try GitIndexFile.variables(at: place, console)
      let files = try GitListing.files(ofIndexAt: place, variables: variables)
      return try GitState(files, .whole, at: place)
    } catch {
      throw error.asCommandError
    }
  }

  private static func base(
    _ revision: [UInt8], at place: GitPlace
  ) throws(CommandError) -> VerifySinceBase {
    do {
      let commit = try place.commit(revision)
      let (findings, unchecked) = try ancestry(of: commit, at: place)
      let state = try GitState(of: commit, revision: revision, .index, at: place)
      do {
        return try VerifySinceBase(
          path: state.folder.path, named: .init(revision: revision, commit: "\(commit)"),
          bounds: .standard, findings: findings, unchecked: unchecked)
      } catch {
        if case .interrupted = error { throw CommandError.store(error) }
        let status: ExitCode = error.exitCode == .newerVersion ? .newerVersion : .failed
        throw CommandError.refused(
          "the vault at \(DisplayName(revision)) proves nothing: \(error.text)", status,
          hint: "name a commit whose vault is sound: 'vaulttool verify' of that commit is clean")
      }
    } catch let error as GitStateError {
      throw error.asCommandError
    } catch {
      throw error as? CommandError ?? .store(.changedMeanwhile)
    }
  }

  /// Whether the commit belongs to the history of what is checked out.
  private static func ancestry(
    of commit: GitID, at place: GitPlace
  ) throws(GitStateError) -> ([Finding], [VerifyReport.Unchecked]) {
    guard let head = try place.head() else { return ([], [.ancestry]) }
    if try place.isAncestor(commit, of: head) { return ([], []) }
    if place.clone == .shallow { return ([], [.ancestry]) }
    let finding = Finding(
      .historyRewritten, [],
      "what is checked out does not come after the earlier commit: the history was rewritten",
      expected: "\(commit) or a commit after it", found: "\(head)")
    return ([finding], [])
  }
}
