import VaultFormat
import VaultStore

/// `signer`: who signs a vault, to be pinned where a job checks it.
package enum SignerCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "signer",
    summary: "Print the fingerprint of each compartment's signer, to be pinned.",
    operands: [vault], options: [json],
    notes: [
      "Each line is the public key of a signer, 64 hex digits, that of the vault's own files "
        + "first. A compartment that was re-keyed is left out: its successor counts.",
      "The vault itself says this. Read it from a copy that you trust, such as your own, and put it "
        + "where those who write to the vault cannot change it.",
    ],
    statuses: [.damaged, .newerVersion],
    examples: [
      .init("vaulttool signer ~/notes.vault", "the fingerprints that --signer takes")
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let folder: VaultFolder
    let snapshot: Snapshot
    do {
      folder = try VaultFolder(path: arguments.operand(vault))
      snapshot = try Snapshot.load(folder, bounds: .standard)
    } catch {
      throw .store(error)
    }
    let home = snapshot.companionCompartment(of: folder.header)
    let current = snapshot.compartments.values
      .filter { snapshot.handOvers.closed[$0.compartment] == nil }
      .sorted {
        ($0.compartment == home ? 0 : 1, $0.compartment) < (
          $1.compartment == home ? 0 : 1, $1.compartment
        )
      }
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(SignerReportJSON(current, home: home)))
      } else {
        for index in current { try console.writeLine(index.signer.hex) }
      }
    } catch {
      throw .output(error)
    }
    var findings = snapshot.findings
    if !current.contains(where: { $0.compartment == home }) {
      findings.append(
        Finding(.noIndex, Layout.index, "no valid segment of the first compartment is there"))
    }
    return VaultAccess.report(findings, console)
  }
}

/// What `signer --json` prints: the object `vaulttool-signer/1` (spec/command-line.md).
private struct SignerReportJSON: Encodable {
  private struct Signer: Encodable {
    let compartment: String
    let fingerprint: String
    let listsCompanions: Bool
  }

  private let schema = "vaulttool-signer/1"
  private let signers: [Signer]

  init(_ indexes: [CompartmentIndex], home: CompartmentID) {
    signers = indexes.map {
      Signer(
        compartment: $0.compartment.hex, fingerprint: $0.signer.hex,
        listsCompanions: $0.compartment == home)
    }
  }
}
