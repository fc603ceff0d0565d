/// What `unpack` does where something has a note's name in the target already.
package enum ExistingFiles: Sendable {
  /// The note is not written, and named.
  case refused
  /// What is there stays.
  case skipped
  /// Files, links and empty folders give way; a folder that holds something never does.
  case overwritten
}

/// Why a note was not written.
package enum UnpackFault: Error, Equatable, Sendable {
  /// Something has its name in the target already.
  case exists(FileKind)
  /// Something that is not a folder stands where a folder of its path belongs.
  case blocked(by: FileKind)
  /// The target takes its name for that of another note, as file systems do that ignore letter case.
  case sameName(as: [UInt8])
  /// Its folder is the vault itself.
  case inVault
  /// The system refused a step in the target.
  case target(SystemError)
  /// It cannot be had from the vault.
  case vault(StoreError)
}

/// A note that was not written, or a folder that kept notes from being written.
package struct UnpackProblem: Equatable, Sendable {
  /// The shown path, below the target.
  package let path: [UInt8]
  package let fault: UnpackFault
  /// How many notes were not written for this reason.
  package let noteCount: Int

  /// The code of the finding where the vault is the reason.
  package var code: Finding.Code? {
    if case .vault(let error) = fault { Finding.Code(error) } else { nil }
  }
}

/// What became of the notes of one `unpack`.
package struct UnpackReport: Equatable, Sendable {
  /// Why the run ended before all was tried.
  package enum Stop: Equatable, Sendable {
    case interrupted
    /// The target takes nothing any more: its disk is full, or it is read-only.
    case target(SystemError)
  }

  package internal(set) var written = 0
  /// Were there already.
  package internal(set) var skipped = 0
  package internal(set) var failed = 0
  /// Not tried, because the run ended before.
  package internal(set) var untried = 0
  /// Ascending by path.
  package internal(set) var problems: [UnpackProblem] = []
  package internal(set) var stop: Stop?
  /// Whether something wrote to the vault meanwhile, which explains notes that are not as listed.
  package internal(set) var vaultChanged = false

  mutating func add(_ path: [UInt8], _ fault: UnpackFault, noteCount: Int = 1) {
    failed += noteCount
    problems.append(UnpackProblem(path: path, fault: fault, noteCount: noteCount))
  }

  mutating func join(_ other: UnpackReport) {
    written += other.written
    skipped += other.skipped
    failed += other.failed
    problems += other.problems
  }
}
