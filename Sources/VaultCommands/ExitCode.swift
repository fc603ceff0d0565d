/// How a run of the program ended. The numbers are promises (spec/command-line.md, Exit statuses).
package enum ExitCode: Hashable, Sendable {
  /// Everything was done; for `verify`: clean.
  case done
  /// A system error or a refused operation; nothing is half-done.
  case failed
  /// The command line was wrong; nothing was touched.
  case usage
  /// Done, but some inputs were skipped; each was named.
  case skipped
  /// A secret was refused, or none could be had.
  case secretRefused
  /// Damage or tampering was found.
  case damaged
  /// Another process writes to the vault.
  case busy
  /// The vault was made by a newer version of this program.
  case newerVersion
  /// A signal asked for the end; the number is the signal's.
  case interrupted(signal: CInt)

  /// The number handed to `exit`.
  package var status: CInt {
    switch self {
    case .done: 0
    case .failed: 1
    case .usage: 2
    case .skipped: 3
    case .secretRefused: 4
    case .damaged: 5
    case .busy: 6
    case .newerVersion: 7
    case .interrupted(let signal): 128 + signal
    }
  }

  /// The line that help texts print for this status.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed: a system error or a refused operation, nothing half-done"
    case .usage: "wrong usage; nothing was touched"
    case .skipped: "done, but some inputs were skipped; each was named"
    case .secretRefused: "secret refused, or none could be had"
    case .damaged: "damage or tampering found"
    case .busy: "busy: another process writes to the vault"
    case .newerVersion: "made by a newer version of vaulttool"
    case .interrupted: "interrupted by signal n"
    }
  }

  /// The one status of a run in which this and `other` both apply: an interruption, then 2, 5, 4,
  /// 6, 1, 3, and 7 only if nothing else is wrong.
  package func combined(with other: ExitCode) -> ExitCode {
    other.rank > rank ? other : self
  }

  private var rank: Int {
    switch self {
    case .done: 0
    case .newerVersion: 1
    case .skipped: 2
    case .failed: 3
    case .busy: 4
    case .secretRefused: 5
    case .damaged: 6
    case .usage: 7
    case .interrupted: 8
    }
  }
}
