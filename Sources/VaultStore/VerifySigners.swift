internal import VaultFormat

/// Compares the signers of the compartments with the pinned ones (spec §12).
struct VerifySigners {
  let list: [VerifyReport.Signer]
  let findings: [Finding]

  init(_ snapshot: Snapshot, pins: [SignerKey]) {
    let indexes = snapshot.compartments.values.sorted { $0.compartment < $1.compartment }
    list = indexes.map {
      VerifyReport.Signer(
        compartment: $0.compartment, key: $0.signer, isPinned: pins.contains($0.signer))
    }
    if pins.isEmpty {
      findings = []
      return
    }
    let unpinned = list.filter { !$0.isPinned }.map { signer in
      Finding(
        .signerUnpinned, [], "a compartment's signer is not pinned",
        expected: "a pinned signer", found: signer.key.hex)
    }
    let present = Set(list.map(\.key))
    let absent = Set(pins).subtracting(present).sorted().map { pin in
      Finding(
        .signerAbsent, [], "no compartment of the vault has this signer", expected: pin.hex)
    }
    findings = unpinned + absent
  }
}
