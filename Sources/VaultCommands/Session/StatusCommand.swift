import VaultFormat
import VaultStore

/// `status`: what is unlocked, and for how long.
package enum StatusCommand: Command {
  private static let vault = OperandSpec("VAULT", .optional)
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")
  private static let quiet = OptionSpec.flag(
    "quiet", short: "q", help: "Print nothing; the exit status is the answer.")

  package static let spec = CommandSpec(
    name: "status", summary: "Show which vaults are unlocked, and for how long.",
    operands: [vault], options: [json, quiet],
    notes: [
      "Status 0 where something is unlocked, of VAULT or at all, else 1. Asking does not make it "
        + "stay unlocked for longer."
    ],
    examples: [
      .init("vaulttool status", "everything that is unlocked"),
      .init(
        "vaulttool status -q ~/notes.vault && vaulttool pack ~/notes ~/notes.vault", "in a script"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    if arguments.has(json), arguments.has(quiet) {
      throw .usage(.conflictingOptions(json.name, quiet.name))
    }
    var sessions: [Session] = []
    var hasKeyRing = true
    do throws(StoreError) {
      let vaultID = try arguments.optionalOperand(vault).map { (path) throws(StoreError) in
        try VaultFolder(path: path).header.vaultID
      }
      do {
        sessions = try Session.all()
      } catch {
        guard error.isKeyRingMissing else { throw error }
        hasKeyRing = false
      }
      if let vaultID { sessions.removeAll { $0.vaultID != vaultID } }
    } catch {
      throw .store(error)
    }
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(StatusReport(sessions, hasKeyRing: hasKeyRing)))
      } else if !arguments.has(quiet) {
        for session in sessions { try console.writeLine(line(session)) }
      }
    } catch {
      throw .output(error)
    }
    if sessions.isEmpty, !arguments.has(quiet) {
      console.note(
        hasKeyRing
          ? "nothing is unlocked" : "nothing is unlocked: the system gives this process no key ring"
      )
    }
    return sessions.isEmpty ? .failed : .done
  }

  private static func line(_ session: Session) -> String {
    let name =
      session.path.isEmpty ? "vault \(session.vaultID.hex)" : DisplayName(session.path).description
    let left =
      switch session.remainingSeconds {
      case nil: ""
      case let seconds? where seconds < 60: "\(seconds) seconds left, "
      case let seconds?: "at least \(seconds / 60) min left, "
      }
    return "\(name)   compartment \(session.compartment.hex.prefix(8)), \(left)"
      + "locked \(session.minutes) min after the last use"
  }
}

/// The JSON object `vaulttool-status/1` (spec/command-line.md).
struct StatusReport: Encodable {
  struct Entry: Encodable {
    let session: Session

    private enum Key: String, CodingKey {
      case compartment
      case vaultID
      case timeoutMinutes
      case secondsLeft
    }

    func encode(to encoder: any Encoder) throws {
      if !session.path.isEmpty { try JSONPath(session.path).encode(to: encoder) }
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(session.compartment.hex, forKey: .compartment)
      try container.encode(session.vaultID.hex, forKey: .vaultID)
      try container.encode(session.minutes, forKey: .timeoutMinutes)
      try container.encodeIfPresent(session.remainingSeconds, forKey: .secondsLeft)
    }
  }

  let schema = "vaulttool-status/1"
  let keyRing: Bool
  let sessions: [Entry]

  init(_ sessions: [Session], hasKeyRing: Bool) {
    keyRing = hasKeyRing
    self.sessions = sessions.map(Entry.init)
  }
}
