/// Where a vault lies in a git repository, which may be a linked work tree or a submodule.
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

  /// - Throws: `git`, with `noRepository` for a folder in none.
  package init(folder: [UInt8]) throws(GitStateError) {
    let answer: [UInt8]
    do {
      answer = try Git.run(
        ["rev-parse", "--is-shallow-repository", "--show-prefix"], in: folder, limit: 65_536)
    } catch {
      throw .git(error)
    }
    let end = answer.firstIndex(of: 0x0A) ?? answer.endIndex
    // The prefix may hold line ends itself; only the last one is git's.
    let prefix = Array(answer[end...].dropFirst().dropLast())
    let isShallow = answer[..<end].elementsEqual("true".utf8)
    self.folder = folder
    self.prefix = prefix
    clone = isShallow ? .shallow : try Self.isPartial(folder) ? .partial : .whole
  }

  private static func isPartial(_ folder: [UInt8]) throws(GitStateError) -> Bool {
    let call = Git.Call([
      "config", "--get-regexp", #"^(remote\..*\.promisor|extensions\.partialclone)$"#,
    ])
    do {
      return try Git.outcome(of: call, in: folder, limit: 65_536).status == 0
    } catch {
      throw .git(error)
    }
  }

  /// The id of the commit that a person named, tags followed.
  package func commit(_ revision: [UInt8]) throws(GitStateError) -> GitID {
    let peeled = revision + Array("^{commit}".utf8)
    guard !revision.isEmpty, !revision.contains(0), let id = try id(named: peeled) else {
      throw .noSuchRevision(revision, clone)
    }
    return id
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
      let outcome = try Git.outcome(of: Git.Call(words), in: folder, limit: 1_024)
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
    let words = ["rev-parse", "--verify", "--quiet", "--end-of-options"].map { Array($0.utf8) }
    do {
      let outcome = try Git.outcome(of: Git.Call(words + [name]), in: folder, limit: 65_536)
      return outcome.status == 0 ? GitID(outcome.output.dropLast()) : nil
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
