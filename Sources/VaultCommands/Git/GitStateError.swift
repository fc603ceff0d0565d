package import VaultStore

/// Why another state of a vault could not be had from git.
package enum GitStateError: Error, Equatable {
  case git(Git.Refusal)
  /// Nothing of this name is a commit here.
  case noSuchRevision([UInt8], GitPlace.Clone)
  /// The way to the vault leads through a link of the work tree.
  case link([UInt8])
  /// Several refs have this name, or a ref is named like a shortened id.
  case ambiguous([UInt8])
  /// The commit, or git's index for nil, does not have the vault's folder.
  case noVault(revision: [UInt8]?)
  /// An object that the state consists of is not in the repository.
  case objectMissing(GitPlace.Clone)
  /// The state cannot be laid out as files: a name twice, or one that leads elsewhere.
  case unusableName([UInt8])
  /// More files or bytes than a vault may have.
  case tooLarge
  /// A merge is not settled, so git's index is no state that can be committed.
  case unmerged([UInt8])
  /// The private folder could not be made or filled, or what it holds is no vault.
  case store(StoreError)
}

extension GitStateError {
  /// The same for a command.
  package var asCommandError: CommandError {
    if case .store(let error) = self { return .store(error) }
    if case .git(.interrupted) = self { return .store(.interrupted) }
    return .refused(description, .failed, hint: hint)
  }

  /// What to do about it.
  package var hint: String? {
    switch self {
    case .noSuchRevision(let revision, let clone):
      if !revision.isEmpty, revision.allSatisfy({ $0 == UInt8(ascii: "0") }) {
        return "zeros stand for a branch that was not there before: there is no earlier state"
      }
      return clone.hint
    case .objectMissing(let clone):
      return clone.hint ?? "run 'git fsck': the repository is damaged"
    case .link:
      return "find out which commit put the link there; to check what it leads to, name that folder"
    case .ambiguous:
      return "name the commit by its whole id, or the branch by its whole name, such as "
        + "refs/remotes/origin/main"
    case .unmerged: return "settle the merge first: 'git status' lists what it waits for"
    case .git, .noVault, .unusableName, .tooLarge, .store: return nil
    }
  }
}

extension GitPlace.Clone {
  /// How what is missing can be had.
  fileprivate var hint: String? {
    switch self {
    case .whole: nil
    case .shallow:
      "this clone is shallow: fetch more with 'git fetch --unshallow', or in CI check out with the whole history"
    case .partial:
      "this clone was made with a filter: fetch the rest with 'git fetch --refetch --no-filter'"
    }
  }
}

extension GitStateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .git(let refusal): "\(refusal)"
    case .noSuchRevision(let revision, _): "\(DisplayName(revision)) is no commit here"
    case .link(let path):
      "\(DisplayName(path)) is a link in the work tree: what lies there is not the vault of this place"
    case .ambiguous(let revision):
      "\(DisplayName(revision)) is the name of several things in this repository"
    case .noVault(let revision?): "there is no vault in this folder at \(DisplayName(revision))"
    case .noVault(nil): "git's index holds no vault in this folder"
    case .objectMissing: "an object that this state consists of is not in the repository"
    case .unusableName(let path):
      "git holds a file under a name that cannot be: \(DisplayName(path))"
    case .tooLarge: "the state has more files or bytes than a vault can have"
    case .unmerged(let path): "a merge is not settled: \(DisplayName(path))"
    case .store(let error): error.text
    }
  }
}
