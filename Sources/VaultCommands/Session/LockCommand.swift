import VaultFormat
import VaultStore

/// `lock`: ends what `unlock` began.
package enum LockCommand: Command {
  private static let vault = OperandSpec("VAULT", .optional)

  package static let spec = CommandSpec(
    name: "lock", summary: "Lock a vault that was unlocked, or all of them.",
    operands: [vault], options: [],
    notes: ["Without VAULT everything is locked. That nothing was unlocked is no error."],
    examples: [
      .init("vaulttool lock", "lock every vault"),
      .init("vaulttool lock ~/notes.vault", "lock this one"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    var count = 0
    do throws(StoreError) {
      if let path = arguments.optionalOperand(vault) {
        let vaultID = try VaultFolder(path: path).header.vaultID
        for session in try Session.all() where session.vaultID == vaultID {
          if try Session.end(session.compartment) { count += 1 }
        }
      } else {
        count = try Session.endAll()
      }
    } catch {
      // Where there is no key ring there is nothing to be locked.
      guard error.isKeyRingMissing else { throw .store(error) }
    }
    console.note(
      count == 0
        ? "nothing was unlocked" : "locked \(count) \(count == 1 ? "compartment" : "compartments")")
    return .done
  }
}

extension StoreError {
  /// Whether this only says that the system gives this process no key ring.
  var isKeyRingMissing: Bool {
    if case .system(let cause, path: []) = self { cause.isKeyRingMissing } else { false }
  }
}
