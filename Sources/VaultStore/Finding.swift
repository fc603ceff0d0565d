package import VaultFormat

/// One thing that verification found (spec/command-line.md "Findings").
package struct Finding: Equatable, Sendable {
  /// The stable codes; their raw values are promises.
  package enum Code: String, Sendable, CaseIterable {
    case unreadable
    case notARegularFile = "not-a-regular-file"
    case foreignFile = "foreign-file"
    case notDownloaded = "not-downloaded"
    case misnamed
    case emptyFile = "empty-file"
    case cutFile = "cut-file"
    case extraBytes = "extra-bytes"
    case textDamage = "text-damage"
    case utf16 = "utf-16"
    case largeFilePointer = "large-file-pointer"
    case mergeMarkers = "merge-markers"
    case newerVersion = "newer-version"
    case foreignVault = "foreign-vault"
    case malformed
    case badSignature = "bad-signature"
    case wrongSigner = "wrong-signer"
    case headerDiffers = "header-differs"
    case segmentMissing = "segment-missing"
    case tooMany = "too-many"
    case noIndex = "no-index"
    case noteMissing = "note-missing"
    case noteChanged = "note-changed"
    case noteSuperseded = "note-superseded"
    case noteUnlisted = "note-unlisted"
    case noteDeleted = "note-deleted"
    case noteConflict = "note-conflict"
    case slotMissing = "slot-missing"
    case slotChanged = "slot-changed"
    case slotSuperseded = "slot-superseded"
    case slotUnlisted = "slot-unlisted"
    case slotDeleted = "slot-deleted"
    case slotConflict = "slot-conflict"
    case companionMissing = "companion-missing"
    case companionChanged = "companion-changed"
    case companionSuperseded = "companion-superseded"
    case companionUnlisted = "companion-unlisted"
    case companionDeleted = "companion-deleted"
    case companionConflict = "companion-conflict"
    case spareMissing = "spare-missing"
    case spareDiffers = "spare-differs"
    case spareUnlisted = "spare-unlisted"
    case unfinishedCommit = "unfinished-commit"
    case leftover
    case signerUnpinned = "signer-unpinned"
    case signerAbsent = "signer-absent"
    case handedOver = "handed-over"
    case closedCompartment = "closed-compartment"
    case handOverConflict = "hand-over-conflict"
    case placeJump = "place-jump"
    case historyRewritten = "history-rewritten"
    case headerChanged = "header-changed"
    case compartmentDropped = "compartment-dropped"
    case segmentDropped = "segment-dropped"
    case segmentExcused = "segment-excused"
    case stateForgotten = "state-forgotten"
    case policyIterations = "policy-iterations"
    case policyPadding = "policy-padding"
    case policyFileSize = "policy-file-size"
    case policySigner = "policy-signer"
    case policyCompanion = "policy-companion"
    case sealBroken = "seal-broken"
    case recordDiffers = "record-differs"
    case unsafePath = "unsafe-path"
    case nameConflict = "name-conflict"
    case lockedCompartment = "locked-compartment"
    case slotPassedOver = "slot-passed-over"
    case notChecked = "not-checked"
  }

  /// How much a finding weighs: an error sets the exit status.
  package enum Severity: String, Sendable { case error, warning, note }

  package let code: Code
  /// The file, relative to the vault; empty when the finding is about the vault as a whole.
  package let path: [UInt8]
  package let expected: String?
  package let found: String?
  /// What is the matter, in a few words without a full stop.
  package let message: String

  package init(
    _ code: Code, _ path: [UInt8], _ message: String, expected: String? = nil, found: String? = nil
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.expected = expected
    self.found = found
  }

  package var severity: Severity {
    switch code {
    case .leftover, .segmentExcused: .warning
    case .nameConflict, .lockedCompartment, .slotPassedOver, .notChecked: .note
    default: .error
    }
  }
}

extension Finding.Code {
  /// The code that says what a format error means to a person.
  package init(_ error: FormatError) {
    switch error {
    case .emptyFile: self = .emptyFile
    case .largeFilePointer: self = .largeFilePointer
    case .mergeMarkers: self = .mergeMarkers
    case .utf16: self = .utf16
    case .textModeDamage: self = .textDamage
    case .newerVersion, .newerSuite, .newerFeature: self = .newerVersion
    case .truncated: self = .cutFile
    case .trailingBytes: self = .extraBytes
    default: self = .malformed
    }
  }
}
