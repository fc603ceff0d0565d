import VaultFormat
import VaultStore

/// `init`: makes an empty vault.
package enum InitCommand: Command {
  private static let vault = OperandSpec("VAULT")

  package static let spec = CommandSpec(
    name: "init",
    summary: "Make a vault in a new or empty directory.",
    operands: [vault],
    options: [NewSecrets.hint, NewSecrets.label, NewPhrase.out] + SecretSources.passphraseOptions,
    notes: [
      "The passphrase is asked for twice. A recovery phrase of 24 words is made and shown once: "
        + "write it on paper. Two of its words are asked back. With it the vault opens when the "
        + "passphrase is forgotten; without either, nobody can open it."
    ],
    statuses: [.secretRefused],
    examples: [
      .init("vaulttool init ~/notes.vault", "asks for everything on the terminal"),
      .init(
        "vaulttool init notes.vault --passphrase-file pass.txt --phrase-out phrase.txt",
        "asks nothing"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let path = arguments.operand(vault)
    let made = try NewVault.make(at: path, arguments, console).folder
    do {
      let snapshot = try Snapshot.load(made, bounds: .standard)
      for index in snapshot.compartments.values {
        console.note("signer fingerprint: \(index.signer.hex)")
      }
    } catch {
      throw .store(error)
    }
    return .done
  }
}
