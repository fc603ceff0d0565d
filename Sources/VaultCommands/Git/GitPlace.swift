import VaultStore

/// Where a vault lies in a git repository, which may be a linked work tree, a submodule, or bare.
package struct GitPlace: Equatable, Sendable {
  /// How much of a repository's history a clone has.
  package enum Clone: Equatable, Sendable {
    case whole
    case shallow
    /// Objects are fetched when git first needs them; here they are not.
    case partial
  }

  /// The vault's folder, in which git is run.
  package let folder: [UInt8]
  /// The path from the top of the work tree to the vault: empty, or ended by a slash.
  package let prefix: [UInt8]
  package let clone: Clone

  /// Whether the repository has no work tree; then `folder` is the repository itself.
  package let isBare: Bool

  /// - Parameter path: the vault's folder; of a vault in a bare repository that repository's folder, followed by the path
  ///   that the vault has in it.
  /// - Throws: `git`, with `noRepository` for a folder in none.
  package init(folder path: [UInt8]) throws(GitStateError) {
    if let (repository, inside) = Self.bare(path) {
      folder = repository
      prefix = inside.isEmpty ? [] : inside + [UInt8(ascii: "/")]
      isBare = true
      clone = try Self.clone(in: repository, isBare: true)
      return
    }
    let answer: [UInt8]
    do {
      answer = try Git.run(["rev-parse", "--show-prefix"], in: path, limit: 65_536)
    } catch {
      throw error == .system(.notFound) ? .store(.notAVault(path: path)) : .git(error)
    }
    try Self.refuseLinks(on: path)
    folder = path
    // The prefix may hold line ends itself; only the last one is git's.
    prefix = Array(answer.dropLast())
    isBare = false
    clone = try Self.clone(in: path, isBare: false)
  }

  /// A call as it has to be made here.
  func call(_ call: Git.Call) -> Git.Call { Self.call(call, isBare: isBare) }

  private static func call(_ call: Git.Call, isBare: Bool) -> Git.Call {
    guard isBare else { return call }
    // Git takes a bare repository only where it is named, not where it is found.
    var named = call
    named.variables.append(Array("GIT_DIR=.".utf8))
    return named
  }

  /// How git is told the files of the vault's folder that fit a pattern.
  func pathspec(_ pattern: String) -> [UInt8] {
    let special = Array("*?[\\".utf8)
    let escaped = prefix.flatMap { special.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    return Array(":(glob)".utf8) + (isBare ? escaped : []) + Array(pattern.utf8)
  }

  private static func clone(in folder: [UInt8], isBare: Bool) throws(GitStateError) -> Clone {
    let shallow = Git.Call(["rev-parse", "--is-shallow-repository"])
    let partial = Git.Call([
      "config", "--get-regexp", #"^(remote\..*\.promisor|extensions\.partialclone)$"#,
    ])
    do {
      let answer = try Git.run(call(shallow, isBare: isBare), in: folder, limit: 1_024)
      if answer.starts(with: "true".utf8) { return .shallow }
      let outcome = try Git.outcome(of: call(partial, isBare: isBare), in: folder, limit: 65_536)
      return outcome.status == 0 ? .partial : .whole
    } catch {
      throw .git(error)
    }
  }

  /// The bare repository that a path begins with, and the path inside; nil where it leads to a folder that is none.
  private static func bare(_ path: [UInt8]) -> (repository: [UInt8], inside: [UInt8])? {
    let slash = UInt8(ascii: "/")
    var end = path.endIndex
    while true {
      let outer = Array(path[..<end])
      if let folder = try? Directory(path: outer.isEmpty ? [slash] : outer) {
        return isBare(folder) ? (outer, Array(path[end...].drop { $0 == slash })) : nil
      }
      guard let cut = path[..<end].lastIndex(of: slash) else { return nil }
      end = cut
    }
  }

  private static func isBare(_ folder: borrowing Directory) -> Bool {
    // What cannot be looked at is no repository.
    func kind(_ name: String) -> FileKind? { (try? folder.status(of: Array(name.utf8)))??.kind }
    return kind("HEAD") == .regular && kind("objects") == .folder && kind("refs") == .folder
  }

  /// The id of the commit that a person named, tags followed.
  package func commit(_ revision: [UInt8]) throws(GitStateError) -> GitID {
    let peeled = revision + Array("^{commit}".utf8)
    guard !revision.isEmpty, !revision.contains(0) else { throw .noSuchRevision(revision, clone) }
    let outcome = try revParse(peeled)
    guard outcome.status == 0, let id = GitID(outcome.output.dropLast()) else {
      throw .noSuchRevision(revision, clone)
    }
    // Who can push a tag could otherwise choose the commit.
    let isAmbiguous =
      String(decoding: outcome.errors, as: UTF8.self).contains("is ambiguous")
    if isAmbiguous { throw .ambiguous(revision) }
    if try isNamedLikeAnID(revision) { throw .ambiguous(revision) }
    return id
  }

  /// Whether a name that begins with a shortened id is a ref's: git takes the ref then, without a word.
  private func isNamedLikeAnID(_ revision: [UInt8]) throws(GitStateError) -> Bool {
    let digits = Array("0123456789abcdefABCDEF".utf8)
    let name = revision.prefix { !Array("~^@:".utf8).contains($0) }
    guard (4..<40).contains(name.count), name.allSatisfy(digits.contains) else { return false }
    let words = ["rev-parse", "--symbolic-full-name"].map { Array($0.utf8) } + [Array(name)]
    do {
      let outcome = try Git.outcome(of: call(Git.Call(words)), in: folder, limit: 65_536)
      return outcome.status == 0 && !outcome.output.isEmpty
    } catch {
      throw .git(error)
    }
  }

  /// The id of the vault's folder in a commit.
  /// - Parameter revision: as the person named the commit.
  package func tree(of commit: GitID, revision: [UInt8]) throws(GitStateError) -> GitID {
    let whole = try id(named: commit.text + Array("^{tree}".utf8))
    guard let whole else { throw .objectMissing(clone) }
    if prefix.isEmpty { return whole }
    guard let tree = try id(named: commit.text + [UInt8(ascii: ":")] + prefix.dropLast()) else {
      throw clone == .partial ? .objectMissing(clone) : .noVault(revision: revision)
    }
    return tree
  }

  /// The commit that is checked out; nil before the first one.
  package func head() throws(GitStateError) -> GitID? { try id(named: Array("HEAD^{commit}".utf8)) }

  /// Whether one commit is the other or comes before it, as far as this clone has the history.
  package func isAncestor(_ one: GitID, of other: GitID) throws(GitStateError) -> Bool {
    let words = ["merge-base", "--is-ancestor"].map { Array($0.utf8) } + [one.text, other.text]
    do {
      let outcome = try Git.outcome(of: call(Git.Call(words)), in: folder, limit: 1_024)
      guard [0, 1].contains(outcome.status) else { throw GitStateError.objectMissing(clone) }
      return outcome.status == 0
    } catch let error as Git.Refusal {
      throw .git(error)
    } catch {
      throw error as? GitStateError ?? .objectMissing(clone)
    }
  }

  /// What `rev-parse` makes of a name that is never taken for an option.
  func id(named name: [UInt8]) throws(GitStateError) -> GitID? {
    let outcome = try revParse(name)
    return outcome.status == 0 ? GitID(outcome.output.dropLast()) : nil
  }

  private func revParse(_ name: [UInt8]) throws(GitStateError) -> ChildProgram.Outcome {
    let words = [
      "-c", "core.warnAmbiguousRefs=true", "rev-parse", "--verify", "--end-of-options",
    ].map { Array($0.utf8) }
    do {
      return try Git.outcome(of: call(Git.Call(words + [name])), in: folder, limit: 65_536)
    } catch {
      throw .git(error)
    }
  }
}

/// The id of an object in git, as hexadecimal digits.
package struct GitID: Hashable, Sendable {
  /// 40 digits, or 64 in a repository that uses SHA-256.
  package let text: [UInt8]

  /// Nil for anything that is no id.
  package init?(_ text: some Collection<UInt8>) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    guard [40, 64].contains(text.count),
      text.allSatisfy({ digits.contains($0) || letters.contains($0) })
    else { return nil }
    self.text = Array(text)
  }
}

extension GitID: CustomStringConvertible {
  package var description: String { String(decoding: text, as: UTF8.self) }
}
