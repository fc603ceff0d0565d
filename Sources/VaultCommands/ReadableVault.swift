import VaultFormat
import VaultStore

/// A vault that a command opened for reading, and what a reader has to be told about it.
struct ReadableVault {
  let vault: UnlockedVault
  /// Follows from what could not be read of the index: notes may be left out.
  let exitCode: ExitCode

  /// Opens a vault with the secret of the command line or of a person, and warns of what is wrong with it as far as a
  /// reader meets it.
  init(
    at path: [UInt8], _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) {
    let keyless = try KeylessVault(at: path, arguments)
    vault = try keyless.unlock(console)
    let findings = keyless.snapshot.findings + vault.findings + Self.missingSegments(vault)
    // A slot that is damaged keeps no note from its reader; `verify` names it.
    exitCode = VaultAccess.report(findings.filter { !$0.isAboutSlot }, console)
    for note in vault.notes where vault.isConflicted(note) {
      console.warn(
        "\(DisplayName(note.shownPath)): note-conflict: two branches changed this note; "
          + "the version that lies in 'notes/' is shown")
    }
    if !vault.lockedCompartments.isEmpty {
      console.note(vault.lockedText)
    }
  }

  private static func missingSegments(_ vault: UnlockedVault) -> [Finding] {
    vault.compartments.flatMap { compartment in
      compartment.index.graph.missing.map { missing in
        Finding(
          .segmentMissing, Layout.path(Layout.index, Layout.segment(missing.segment)),
          "another segment builds on this one, and it is not there")
      }
    }
  }
}

extension Finding {
  fileprivate var isAboutSlot: Bool {
    path.suffix(5).elementsEqual(".slot".utf8) || path.starts(with: Layout.spare)
  }
}

extension UnlockedVault {
  /// How many notes stay locked, and where.
  var lockedText: String {
    let (notes, compartments) = (lockedNoteCount, lockedCompartments.count)
    return "\(notes) \(notes == 1 ? "note" : "notes") in \(compartments) other "
      + "\(compartments == 1 ? "compartment" : "compartments") "
      + "\(notes == 1 ? "opens" : "open") with another secret"
  }

  fileprivate func isConflicted(_ note: NoteInfo) -> Bool {
    compartments.contains { $0.table.conflicted.contains(note.id) }
  }
}

extension StoreError {
  /// How a run ends that could not read a note: a file that is missing or unreadable is a finding too.
  var exitCodeOfReading: ExitCode {
    switch Finding.Code(self) {
    case nil: exitCode
    case .newerVersion?: .newerVersion
    case _?: .damaged
    }
  }
}
