/// One command of the program.
package protocol Command: Sendable {
  /// What it takes and how help describes it.
  static var spec: CommandSpec { get }

  /// Does the work.
  /// - Returns: how the run ends when nothing was thrown.
  static func run(_ arguments: ArgumentReader, _ console: Console) throws(CommandError) -> ExitCode
}

/// All commands, in the order in which help lists them.
package enum CommandList {
  package static let all: [any Command.Type] = [
    InitCommand.self,
    PackCommand.self,
    UnpackCommand.self,
    ListCommand.self,
    CatCommand.self,
    VerifyCommand.self,
    SignerCommand.self,
    InfoCommand.self,
    InspectCommand.self,
    LogCommand.self,
    DiffCommand.self,
    CompactCommand.self,
    RewrapCommand.self,
    RecoverCommand.self,
    ResetCommand.self,
    RekeyCommand.self,
    SlotListCommand.self,
    SlotAddCommand.self,
    SlotRemoveCommand.self,
    PhraseNewCommand.self,
    PhraseCheckCommand.self,
    SalvageCommand.self,
    ReconcileCommand.self,
    MergeDriverCommand.self,
    TextConvCommand.self,
    SetupCommand.self,
    UnlockCommand.self,
    LockCommand.self,
    StatusCommand.self,
  ]
}
