package import VaultStore

/// Runs git for what it knows about a vault.
///
/// The repository may be hostile, so only plumbing is run, which starts none of the programs that a
/// repository's configuration can name; the settings below close what is left. The child gets no
/// variable but `kept`: the `GIT_DIR`, `GIT_INDEX_FILE` and the like of a hook around this run
/// would name another repository or another state.
package enum Git {
  /// Why git gave no answer.
  package enum Refusal: Error, Equatable, Sendable {
    /// There is no program `git` in an absolute folder of `PATH`.
    case notInstalled
    /// The folder is in no repository.
    case noRepository
    /// It ended with another status than 0; `reason` is its first line about that, as bytes.
    case refused(reason: [UInt8])
    /// It said more than was asked for.
    case answerTooLong
    /// Whoever took its answer wanted no more.
    case stopped
    /// The system would not start it.
    case system(ErrorCode)
    /// A signal asked for the end while it ran.
    case interrupted
  }

  /// Variables that git needs to find itself and the owner's configuration, and to know the owner.
  private static let kept = ["PATH", "HOME", "XDG_CONFIG_HOME", "SUDO_UID"]
  private static let variables = [
    "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
    "GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat",
  ]
  private static let settings = [
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "log.showSignature=false",
    "protocol.allow=never", "safe.bareRepository=explicit",
  ]

  /// What a run of git is given besides its folder. Words that a user typed go behind `--end-of-options` or `--`.
  package struct Call {
    /// The subcommand and its arguments.
    package var arguments: [[UInt8]]
    /// What it reads from stdin, which then ends.
    package var input: [UInt8] = []
    /// Open files of this process that it sees as descriptors 3, 4, …; at most 8.
    package var descriptors: [CInt] = []
    /// Variables besides the usual ones, each `NAME=value`.
    package var variables: [[UInt8]] = []

    package init(_ arguments: [[UInt8]]) { self.arguments = arguments }
    package init(_ arguments: [String]) { self.arguments = arguments.map { Array($0.utf8) } }
  }

  /// Runs a plumbing command in a folder.
  ///
  /// - Parameters:
  ///   - folder: where it starts, as a path.
  ///   - limit: the most bytes that it may answer.
  /// - Returns: what it wrote to stdout.
  package static func run(
    _ arguments: [String], in folder: [UInt8], limit: Int
  ) throws(Refusal) -> [UInt8] {
    try run(Call(arguments), in: folder, limit: limit)
  }

  /// The same with all that a call may have.
  package static func run(
    _ call: Call, in folder: [UInt8], limit: Int
  ) throws(Refusal) -> [UInt8] {
    let outcome = try outcome(of: call, in: folder, limit: limit)
    guard outcome.status == 0 else { throw refusal(outcome.errors) }
    return outcome.output
  }

  /// The same for a command whose exit status the caller judges.
  package static func outcome(
    of call: Call, in folder: [UInt8], limit: Int
  ) throws(Refusal) -> ChildProgram.Outcome {
    let call = try programCall(call)
    do {
      return try ChildProgram.run(call, in: folder, limit: limit)
    } catch {
      throw Refusal(error)
    }
  }

  /// The same with the answer handed on as it comes.
  ///
  /// - Throws: `stopped` where the taker wants no more.
  package static func run(
    _ call: Call, in folder: [UInt8], taking take: (Span<UInt8>) -> ChildProgram.Wish
  ) throws(Refusal) {
    let call = try programCall(call)
    let outcome: ChildProgram.Outcome
    do {
      outcome = try ChildProgram.run(call, in: folder, taking: take)
    } catch {
      throw Refusal(error)
    }
    guard outcome.status == 0 else { throw refusal(outcome.errors) }
  }

  private static func programCall(_ call: Call) throws(Refusal) -> ChildProgram.Call {
    guard let program = ChildProgram.find("git") else { throw .notInstalled }
    let options = ["--no-pager"] + settings.flatMap { ["-c", $0] }
    let environment =
      kept.compactMap { ProcessVariable($0)?.text } + variables.map { Array($0.utf8) }
    var whole = ChildProgram.Call(
      words: [program] + options.map { Array($0.utf8) } + call.arguments,
      environment: environment + call.variables)
    whole.input = call.input
    whole.descriptors = call.descriptors
    return whole
  }

  private static func refusal(_ errors: [UInt8]) -> Refusal {
    let lines = errors.split(separator: 0x0A)
    let fatal = Array("fatal: ".utf8)
    let line = lines.first { $0.starts(with: fatal) }
    let reason =
      line.map { Array($0.dropFirst(fatal.count)) } ?? lines.first.map { Array($0) } ?? []
    return reason.starts(with: Array("not a git repository".utf8))
      ? .noRepository : .refused(reason: reason)
  }
}

extension Git.Refusal {
  fileprivate init(_ failure: ChildProgram.Failure) {
    switch failure {
    case .system(let code): self = .system(code)
    case .outputTooLong: self = .answerTooLong
    case .stopped: self = .stopped
    case .interrupted: self = .interrupted
    }
  }
}

extension Git.Refusal: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInstalled: "git is not installed"
    case .noRepository: "the vault is in no git repository"
    case .refused(let reason):
      reason.isEmpty ? "git ended without a word" : "git says: \(DisplayName(reason).text)"
    case .answerTooLong: "git says more than is taken from it"
    case .stopped: "git was ended"
    case .system(let code): "git could not be run: \(code)"
    case .interrupted: "interrupted"
    }
  }
}
