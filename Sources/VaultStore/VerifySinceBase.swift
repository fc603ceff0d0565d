package import VaultFormat

/// An earlier state of a vault, with which a verification compares (spec §12.3).
package struct VerifySinceBase: Sendable {
  /// What the state is called: by a person, and for ever.
  package struct Name: Equatable, Sendable {
    package let revision: [UInt8]
    package let commit: String

    package init(revision: [UInt8], commit: String) {
      self.revision = revision
      self.commit = commit
    }
  }

  package let name: Name
  package let vault: VaultFolder
  package let snapshot: Snapshot
  /// What is wrong about the way from that state to this one, for the report.
  package let findings: [Finding]
  /// What could not be told about that way.
  package let unchecked: [VerifyReport.Unchecked]

  /// Reads `VAULT`, slots and segments of a state that lies in a folder of its own.
  /// - Throws: `indexNotSound` where its index has findings or a segment is missing: it proves nothing then; as
  ///   `VaultFolder` and `Snapshot.load`.
  package init(
    path: [UInt8], named name: Name, bounds: KDFBounds, findings: [Finding],
    unchecked: [VerifyReport.Unchecked]
  ) throws(StoreError) {
    let vault = try VaultFolder(path: path)
    let snapshot = try Snapshot.load(vault, bounds: bounds)
    var broken = snapshot.findings.filter { $0.severity == .error }
    for index in snapshot.compartments.values {
      for missing in index.graph.missing {
        broken.append(
          Finding(
            .segmentMissing, Layout.path(Layout.index, Layout.segment(missing.segment)),
            "another segment builds on this one, and it is not there"))
      }
    }
    if snapshot.compartments.isEmpty {
      broken.append(Finding(.noIndex, Layout.index, "there is no valid segment"))
    }
    guard broken.isEmpty else { throw .indexNotSound(broken) }
    self.name = name
    self.vault = vault
    self.snapshot = snapshot
    self.findings = findings
    self.unchecked = unchecked
  }
}
