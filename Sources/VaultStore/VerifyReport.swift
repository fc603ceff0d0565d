package import VaultFormat

/// What verification checked and found (spec §12).
package struct VerifyReport: Equatable, Sendable {
  /// How far the check went.
  package enum Level: String, Sendable { case keyless, unlocked }

  /// How much was read.
  package struct Counts: Equatable, Sendable {
    /// Files of the vault that were read, of all kinds.
    package internal(set) var files = 0
    /// The bytes of these files.
    package internal(set) var bytes: UInt64 = 0
    /// Sealed files in `notes/`.
    package internal(set) var notes = 0
    package internal(set) var segments = 0
    /// Slots in `index/`, without their spares.
    package internal(set) var slots = 0
  }

  /// Who signed a compartment.
  package struct Signer: Equatable, Sendable {
    package let compartment: CompartmentID
    package let key: SignerKey
    /// Whether the caller pinned it.
    package let isPinned: Bool
  }

  /// What the signatures of the segments prove.
  package enum Signature: String, Sendable {
    /// They hold, and nobody said who has to have signed.
    case selfConsistent = "self-consistent"
    /// They hold, and all signers are the pinned ones.
    case pinned
    /// Other signers than the pinned ones, or not all of them.
    case notAsPinned = "not-as-pinned"
    /// One does not hold, its signer does not fit, or there is none.
    case broken
  }

  /// Something that this run could not or was not asked to check.
  package enum Unchecked: Hashable, Sendable {
    /// That the contents decrypt to what the index says.
    case contents
    /// That the signer is the owner: nobody pinned it.
    case signer
    /// That no newer state was withheld.
    case freshness
    /// The folder `local/`, which belongs to this machine.
    case localFolder
    /// A file of the repository whose root the vault's folder is.
    case repositoryFile([UInt8])
    /// The contents of a compartment that the secret does not open.
    case compartment(CompartmentID)
    /// That an earlier state belongs to the history of this one.
    case ancestry
    /// That a compartment which was re-keyed kept all its notes: they have new ids.
    case handOver(CompartmentID)
    /// The notes of the other parts.
    case otherShards(VerifyShard)
  }

  package let level: Level
  package let counts: Counts
  /// Ascending by compartment.
  package let signers: [Signer]
  package let signature: Signature
  /// The part of the notes that was checked; nil for all.
  package let shard: VerifyShard?
  /// Names the state of `VAULT` and `index/` that was looked at.
  package let state: Digest
  /// Ascending by path, then by code.
  package let findings: [Finding]
  package let unchecked: [Unchecked]
  /// Why the contents were not checked although a secret was given.
  package let unlockFailure: StoreError?
  /// What became of an earlier state, where one was given.
  package let since: VerifySince?
  /// Whether what was checked is what git would commit, and not what lies in the folder.
  package let isStaged: Bool

  /// Whether anything is wrong.
  package var hasErrors: Bool { findings.contains { $0.severity == .error } }

  /// Whether all that is wrong is that a newer version made it.
  package var isOnlyNewer: Bool {
    hasErrors && findings.allSatisfy { $0.severity != .error || $0.code == .newerVersion }
  }
}

/// What a verification is asked for.
package struct VerifyOptions: Sendable {
  /// The signers that have to be there, and no others; empty where nobody pinned any.
  package let pins: [SignerKey]
  package let bounds: KDFBounds
  /// Threads that hash and decrypt, at least 1.
  package let workerCount: Int
  /// An earlier state, of which nothing may be lost.
  package var since: VerifySinceBase?
  /// Whether the folder holds what git would commit; for the report.
  package var isStaged = false
  /// The part of the notes that is checked; nil for all.
  package var shard: VerifyShard?
  /// What is asked for beyond being whole.
  package var policy = VerifyPolicy()

  package init(pins: [SignerKey], bounds: KDFBounds, workerCount: Int) {
    precondition(workerCount > 0, "somebody has to work")
    self.pins = pins
    self.bounds = bounds
    self.workerCount = workerCount
  }
}

/// Tells the caller how far a verification is, from any thread, and asks whether to go on.
package struct VerifyProgress: Sendable {
  /// One round of reading begins: how many bytes it will read, as far as is known.
  package let begin: @Sendable (_ expectedByteCount: UInt64) -> Void
  /// So many bytes more are checked.
  package let advance: @Sendable (_ byteCount: Int) -> Void
  /// Whether the run shall stop.
  package let isCancelled: @Sendable () -> Bool

  package init(
    begin: @escaping @Sendable (UInt64) -> Void, advance: @escaping @Sendable (Int) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.begin = begin
    self.advance = advance
    self.isCancelled = isCancelled
  }

  /// Tells nobody and never stops.
  package static let silent = VerifyProgress(
    begin: { _ in }, advance: { _ in }, isCancelled: { false })
}
