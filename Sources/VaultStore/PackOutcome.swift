package import VaultFormat

/// One thing that a `pack` did, or would do.
package struct PackChange: Equatable, Sendable {
  /// The raw values are promises (spec/command-line.md, JSON).
  package enum Kind: String, Sendable, CaseIterable {
    case added
    case changed
    case renamed
    case mode
    case removed
  }

  package let kind: Kind
  /// Where the note is now, or was.
  package let path: [UInt8]
  /// Where a renamed note was.
  package let from: [UInt8]?

  package init(_ kind: Kind, _ path: [UInt8], from: [UInt8]? = nil) {
    self.kind = kind
    self.path = path
    self.from = from
  }
}

/// What came of a `pack`.
package struct PackOutcome: Sendable {
  /// Ascending by path.
  package internal(set) var changes: [PackChange] = []
  /// What was skipped, ascending by path.
  package internal(set) var problems: [SourceScanProblem] = []
  package internal(set) var unchangedCount = 0
  package internal(set) var excludedCount = 0
  /// Notes that stay although the source does not have them as they are.
  package internal(set) var kept: [(path: [UInt8], reason: PackPlan.Kept.Reason)] = []
  /// Sources that were not packed because their notes were deleted in the vault.
  package internal(set) var deletedInVault: [[UInt8]] = []
  /// Byte count of the sealed files that were written.
  package internal(set) var sealedByteCount: UInt64 = 0
  /// The segments that say so, in the order of their commits.
  package internal(set) var segments: [SegmentID] = []
  /// Originals that were deleted.
  package internal(set) var removedOriginals = 0

  init() {}

  /// What packing into a new vault would do.
  package init(adding scan: SourceScan) {
    changes = scan.items.map { PackChange(.added, $0.path) }
    problems = scan.problems
    excludedCount = scan.excludedCount
    sort()
  }

  package func count(of kind: PackChange.Kind) -> Int { changes.count { $0.kind == kind } }

  mutating func sort() {
    changes.sort { $0.path.lexicographicallyPrecedes($1.path) }
    problems.sort { $0.path.lexicographicallyPrecedes($1.path) }
    kept.sort { $0.path.lexicographicallyPrecedes($1.path) }
    deletedInVault.sort { $0.lexicographicallyPrecedes($1) }
  }
}
