internal import VaultCrypto
internal import VaultFormat

/// A vault as keyless verification reads it, before anything is repaired.
struct RepairReading: Sendable {
  private static let attempts = 8

  let base: VerifyBase
  let pass: VerifyPass
  let topLevel: VerifyTopLevel

  /// Reads every file of a vault.
  /// - Throws: `changedMeanwhile` when the vault changes each time, and as `Verification`.
  init(
    path: [UInt8], _ options: VerifyOptions, _ progress: VerifyProgress
  ) throws(StoreError) {
    for _ in 1...Self.attempts {
      let base = try VerifyBase.load(path: path, bounds: options.bounds)
      let pass = try VerifyPass(base, options, progress)
      if pass.isDisturbed { continue }
      guard try pass.isStillCurrent() else { continue }
      self.base = base
      self.pass = pass
      topLevel = try VerifyTopLevel(of: base.root.folder)
      return
    }
    throw .changedMeanwhile
  }

  /// The paths for which a sync tool keeps a placeholder: the files are not gone, and nothing may take their places.
  var awaited: Set<[UInt8]> {
    Set(pass.findings.filter { $0.code == .notDownloaded }.map { VerifyIndex.real($0.path) })
  }

  /// Segments that are there or on their way, and cannot be read here and now: what they say is not lost.
  var unreadSegments: [Finding] {
    pass.findings.filter { finding in
      let isAboutSegment =
        [".seg", ".seg.icloud"].contains {
          finding.path.suffix($0.utf8.count).elementsEqual($0.utf8)
        }
        || finding.path == Layout.index
      guard isAboutSegment, finding.path.starts(with: Layout.index) else { return false }
      return [.newerVersion, .tooMany, .unreadable, .notDownloaded].contains(finding.code)
    }
  }

  /// The files whose names are none of the vault's, or not what their content says; and the folders in `notes/` that hold
  /// such files.
  var strays: (files: [[UInt8]], folders: [[UInt8]]) {
    var files = Set<[UInt8]>()
    var folders = Set<[UInt8]>()
    for finding in pass.findings where finding.code == .foreignFile || finding.code == .misnamed {
      let parts = Layout.parts(of: finding.path)
      let isInNotes = parts.first == Layout.notes
      let isNeeded = parts[0] == Layout.staging && finding.code == .misnamed
      guard
        parts.count == 1 || isInNotes || isNeeded || parts[0] == Layout.index
          || parts[0] == Layout.spare
      else { continue }
      if isInNotes, parts.count == 2, let folder = try? folder(finding.path) {
        folders.insert(finding.path)
        // A folder that cannot be listed stays a finding.
        for entry in (try? folder.entries()) ?? [] {
          files.insert(Layout.path(finding.path, entry.name))
        }
      } else {
        files.insert(finding.path)
      }
    }
    return (files.sorted(by: Syscalls.precedes), folders.sorted(by: Syscalls.precedes))
  }

  private func folder(_ path: [UInt8]) throws(SystemError) -> Directory {
    try base.root.folder.open(components: Layout.parts(of: path))
  }
}
