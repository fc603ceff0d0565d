import VaultStore

/// The folder in which git looks for the hooks of a repository.
struct HookFolder {
  /// Why a hook was left alone, with what to do.
  enum Refusal: Error {
    case git(Git.Refusal)
    /// `core.hooksPath` is set for more than this repository.
    case shared(path: [UInt8])
    /// `core.hooksPath` names no folder.
    case switchedOff(path: [UInt8])
    case notRegular(path: [UInt8], FileKind)
    case notExecutable(path: [UInt8])
    case script(path: [UInt8], HookScript.Refusal)
    case system(path: [UInt8], SystemError)
  }

  /// A hook that is to be written, or removed.
  struct Change {
    let name: String
    let path: [UInt8]
    /// Nil: the file goes.
    let script: [UInt8]?
    /// The permission bits that it has; nil for a new file.
    let permissions: UInt32?
  }

  private static let answerByteCount = 65_536
  private static let scriptByteCount = 1 << 20

  let path: [UInt8]

  /// Asks git. The setting on git's command line that keeps hooks from running is not the repository's.
  /// - Parameters:
  ///   - top: the top of the work tree, from which a relative path counts.
  ///   - isUndoing: a block that was once written may stand in a folder that other repositories use too.
  init(of top: [UInt8], isUndoing: Bool) throws(Refusal) {
    let call = Git.Call([
      "config", "--show-scope", "--null", "--type=path", "--get-all", "core.hooksPath",
    ])
    do {
      let outcome = try Git.outcome(of: call, in: top, limit: Self.answerByteCount)
      let parts = outcome.output.split(separator: 0, omittingEmptySubsequences: false)
      var configured: [UInt8]?
      var isShared = false
      for at in stride(from: 0, to: parts.count - 1, by: 2)
      where !parts[at].elementsEqual("command".utf8) {
        configured = Array(parts[at + 1])
        isShared = !["local", "worktree"].contains { parts[at].elementsEqual($0.utf8) }
      }
      if let configured {
        if isShared, !isUndoing { throw Refusal.shared(path: configured) }
        path = Self.absolute(configured, top)
        return
      }
      var common = try Git.run(
        ["rev-parse", "--git-common-dir"], in: top, limit: Self.answerByteCount)
      common.removeLast()
      path = Self.absolute(common, top) + Array("/hooks".utf8)
    } catch let error as Git.Refusal {
      throw .git(error)
    } catch {
      throw error as? Refusal ?? .switchedOff(path: top)
    }
  }

  private static func absolute(_ path: [UInt8], _ top: [UInt8]) -> [UInt8] {
    path.first == UInt8(ascii: "/") ? path : top + [UInt8(ascii: "/")] + path
  }

  // MARK: - Planning

  /// The hooks as they are with the block for each; none that has it already.
  func additions(program: String) throws(Refusal) -> [Change] {
    var changes: [Change] = []
    for name in HookScript.names {
      let block = HookScript.block(name, program: program)
      let (script, permissions) = try read(name)
      if let permissions, permissions & 0o100 == 0 {
        throw .notExecutable(path: path(of: name))
      }
      let new: [UInt8]
      do { new = try HookScript.adding(block, to: script) } catch {
        throw .script(path: path(of: name), error)
      }
      guard new != script else { continue }
      changes.append(
        Change(name: name, path: path(of: name), script: new, permissions: permissions))
    }
    return changes
  }

  /// The hooks as they are without their blocks.
  func removals() throws(Refusal) -> [Change] {
    var changes: [Change] = []
    for name in HookScript.names {
      guard let found = try? read(name), let script = found.script, HookScript.hasBlock(script)
      else { continue }
      do {
        guard let (rest, isOwn) = try HookScript.removing(from: script) else { continue }
        let isEmpty = isOwn && HookScript.isOnlyFirstLine(rest)
        changes.append(
          Change(
            name: name, path: path(of: name), script: isEmpty ? nil : rest,
            permissions: found.permissions))
      } catch {
        throw .script(path: path(of: name), error)
      }
    }
    return changes
  }

  private func path(of name: String) -> [UInt8] { path + Array("/\(name)".utf8) }

  private func read(
    _ name: String
  ) throws(Refusal) -> (script: [UInt8]?, permissions: UInt32?) {
    let path = path(of: name)
    do {
      let folder: Directory
      do { folder = try Directory(path: self.path) } catch {
        if error.code == .notFound { return (nil, nil) }
        if error.code == .notAFolder { throw Refusal.switchedOff(path: self.path) }
        throw error
      }
      guard let status = try folder.status(of: Array(name.utf8)) else { return (nil, nil) }
      guard status.kind == .regular else { throw Refusal.notRegular(path: path, status.kind) }
      let script = try folder.readWhole(Array(name.utf8), limit: Self.scriptByteCount)
      return (script, status.mode)
    } catch let error as SystemError {
      throw .system(path: path, error)
    } catch {
      throw error as? Refusal ?? .switchedOff(path: path)
    }
  }

  // MARK: - Writing

  /// Makes the change, and the folder where there is none.
  func carryOut(_ change: Change) throws(Refusal) {
    let name = Array(change.name.utf8)
    do throws(SystemError) {
      let folder = try openOrMake()
      guard let script = change.script else { return try folder.unlink(name) }
      try AtomicWrite.save(
        script.span, as: name, in: folder, mode: 0o755, temporaryName: name + Array(".new".utf8),
        replacing: change.permissions == nil ? .forbidden : .allowed)
      if let permissions = change.permissions { try folder.setMode(name, permissions) }
    } catch {
      throw .system(path: change.path, error)
    }
  }

  private func openOrMake() throws(SystemError) -> Directory {
    do { return try Directory(path: path) } catch {
      guard error.code == .notFound else { throw error }
    }
    let place = FilePlace(path)
    try Directory(path: place.folder).makeDirectory(place.name, mode: 0o755)
    return try Directory(path: path)
  }
}

extension HookFolder.Refusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .git(let refusal): "\(refusal)"
    case .shared(let path):
      "core.hooksPath names \(DisplayName(path)) for all repositories, so no hook of this one can be set up"
    case .switchedOff(let path):
      "\(DisplayName(path)) is no folder, so git runs no hooks here (core.hooksPath)"
    case .notRegular(let path, let kind):
      "the hook \(DisplayName(path)) is a \(kind), which is left alone"
    case .notExecutable(let path):
      "the hook \(DisplayName(path)) is not executable, so git does not run it; it is left alone"
    case .script(let path, .notShell):
      "the hook \(DisplayName(path)) is no shell script, so nothing can be added to it"
    case .script(let path, .brokenBlock):
      "the hook \(DisplayName(path)) has a block of vaulttool without its end"
    case .system(let path, let error): "\(DisplayName(path)): \(error)"
    }
  }
}
