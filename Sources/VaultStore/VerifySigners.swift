internal import VaultFormat

/// Compares the signers of the compartments with the pinned ones (spec §12).
struct VerifySigners {
  let list: [VerifyReport.Signer]
  let findings: [Finding]
  private let namesSigners: Bool

  init(_ snapshot: Snapshot, _ options: VerifyOptions) {
    let pins = options.pins
    let named = pins.isEmpty ? options.policy.signers : pins
    let indexes = snapshot.compartments.values.sorted { $0.compartment < $1.compartment }
    list = indexes.map {
      VerifyReport.Signer(
        compartment: $0.compartment, key: $0.signer,
        isPinned: named.contains($0.signer))
    }
    namesSigners = !named.isEmpty
    if pins.isEmpty {
      findings = []
      return
    }
    let handOvers = snapshot.handOvers
    var present = Set(list.map(\.key))
    var unpinned: [Finding] = []
    for signer in list where !signer.isPinned {
      let former = handOvers.closed.values.filter {
        $0.successors.contains(signer.compartment) && pins.contains($0.signer)
      }
      present.formUnion(former.map(\.signer))
      unpinned.append(
        Finding(
          former.isEmpty ? .signerUnpinned : .handedOver, [],
          former.isEmpty
            ? "a compartment's signer is not pinned"
            : "the pinned signer handed over to another one; only the owner can say whether that was meant",
          expected: former.first?.signer.hex ?? "a pinned signer", found: signer.key.hex))
    }
    let absent = Set(pins).subtracting(present).sorted().map { pin in
      Finding(
        .signerAbsent, [], "no compartment of the vault has this signer", expected: pin.hex)
    }
    findings = unpinned + absent
  }

  /// - Parameter all: the findings of the whole run.
  func signature(_ all: [Finding]) -> VerifyReport.Signature {
    let isBroken = all.contains { [.badSignature, .wrongSigner].contains($0.code) }
    if isBroken || list.isEmpty { return .broken }
    if !namesSigners { return .selfConsistent }
    let isNamed = list.allSatisfy(\.isPinned) && !all.contains { $0.code == .policySigner }
    return findings.isEmpty && isNamed ? .pinned : .notAsPinned
  }
}
