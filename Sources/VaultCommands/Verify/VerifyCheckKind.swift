import VaultStore

/// The kinds of check that a verification consists of, for reports that show what passed as well as what did not.
enum VerifyCheckKind: String, CaseIterable {
  case header
  case segments
  case slots
  case notes
  case companions
  case structure
  case signers
  case history
  case policy
  case contents

  /// What is checked, in a few words.
  var title: String {
    switch self {
    case .header: "VAULT is the one that was signed"
    case .segments: "index segments are whole, signed and complete"
    case .slots: "key slots and their second copies are as listed"
    case .notes: "sealed files are as listed"
    case .companions: "the vault's own files are as listed"
    case .structure: "nothing foreign and nothing left over"
    case .signers: "signers are those expected"
    case .history: "nothing of the earlier commit is lost"
    case .policy: "the policy is kept"
    case .contents: "contents decrypt to what the index says"
    }
  }

  /// The kinds that a report is about.
  static func kinds(of report: VerifyReport, policy: VerifyPolicy) -> [VerifyCheckKind] {
    allCases.filter { kind in
      switch kind {
      case .history: report.since != nil
      case .policy: policy != VerifyPolicy()
      case .contents: report.level == .unlocked
      default: true
      }
    }
  }
}

extension Finding {
  /// The kind of check that it came from.
  var checkKind: VerifyCheckKind {
    switch code {
    case .foreignFile, .notDownloaded, .misnamed, .foreignVault, .unfinishedCommit, .leftover,
      .notChecked, .tooMany:
      .structure
    case .headerDiffers: .header
    case .badSignature, .wrongSigner, .segmentMissing, .noIndex, .closedCompartment,
      .handOverConflict:
      .segments
    case .noteMissing, .noteChanged, .noteSuperseded, .noteUnlisted, .noteDeleted, .noteConflict,
      .placeJump:
      .notes
    case .slotMissing, .slotChanged, .slotSuperseded, .slotUnlisted, .slotDeleted, .slotConflict,
      .spareMissing, .spareDiffers, .spareUnlisted, .slotPassedOver:
      .slots
    case .companionMissing, .companionChanged, .companionSuperseded, .companionUnlisted,
      .companionDeleted, .companionConflict:
      .companions
    case .signerUnpinned, .signerAbsent, .handedOver: .signers
    case .historyRewritten, .headerChanged, .compartmentDropped, .segmentDropped, .segmentExcused,
      .stateForgotten:
      .history
    case .policyIterations, .policyPadding, .policyFileSize, .policySigner, .policyCompanion:
      .policy
    case .sealBroken, .recordDiffers, .unsafePath, .nameConflict, .lockedCompartment: .contents
    case .unreadable, .notARegularFile, .emptyFile, .cutFile, .extraBytes, .textDamage, .utf16,
      .largeFilePointer, .mergeMarkers, .newerVersion, .malformed:
      kindOfFile
    }
  }

  /// By where the file lies.
  private var kindOfFile: VerifyCheckKind {
    let folder = path.prefix { $0 != UInt8(ascii: "/") }
    return switch Array(folder) {
    case Layout.header: .header
    case Layout.index: path.suffix(5).elementsEqual(".slot".utf8) ? .slots : .segments
    case Layout.spare: .slots
    case Layout.notes: .notes
    case Layout.kit: .companions
    case _ where Layout.topCompanions.contains(path): .companions
    default: .structure
    }
  }
}
