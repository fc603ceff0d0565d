/// Every maximum and minimum of the format (spec §11). Readers refuse what is outside before they
/// allocate, convert or loop; byte counts unless the name says otherwise.
package enum Limits {
  // MARK: - Preamble and CBOR

  /// Byte count of the preamble (spec §3.1).
  package static let preambleByteCount = 16
  /// Byte count of a public map.
  package static let publicMapByteCount = 1...4_096
  /// How deep arrays and maps may nest; the outermost is depth 1.
  package static let nesting = 8
  /// The first map key that a reader passes over when it does not know it (spec §3.3).
  package static let firstLaterKey: UInt64 = 128

  // MARK: - Boxes and keys

  /// Byte count of the nonce at the front of a sealed box (spec §3.4).
  package static let nonceByteCount = 12
  /// Byte count of an authentication tag.
  package static let tagByteCount = 16
  /// What a sealed box has in addition to its plain text: nonce and tag.
  package static let boxOverhead = nonceByteCount + tagByteCount
  /// Byte count of a commitment.
  package static let commitmentByteCount = 32
  /// Byte count of a master key.
  package static let masterKeyByteCount = 32
  /// Byte count of the box of a slot: a master key and the overhead.
  package static let slotBoxByteCount = masterKeyByteCount + boxOverhead
  /// PBKDF2 iterations of a passphrase slot.
  package static let passphraseIterations: ClosedRange<UInt32> = 600_000...10_000_000
  /// PBKDF2 iterations of a recovery phrase slot.
  package static let phraseIterations: ClosedRange<UInt32> = 800_000...10_000_000
  /// How many different iteration counts of one purpose are tried.
  package static let iterationCountsPerPurpose = 4
  /// The sum of all iteration counts of one unlock.
  package static let iterationsPerUnlock: UInt64 = 40_000_000
  /// UTF-8 byte count of a slot's label.
  package static let labelByteCount = 1...256
  /// UTF-8 byte count of a slot's hint.
  package static let hintByteCount = 1...256

  // MARK: - Files of a vault

  /// Slot files in `index/`, and again in `spare/`.
  package static let slotFiles = 64
  /// Segment files in `index/`.
  package static let segmentFiles = 65_536
  /// Byte count of a companion file.
  package static let companionFileByteCount = 1_048_576
  /// Byte count of a whole slot file, at most.
  package static let slotFileByteCount =
    preambleByteCount + publicMapByteCount.upperBound + slotBoxByteCount
  /// Byte count of the file `VAULT`, at most.
  package static let vaultFileByteCount = preambleByteCount + publicMapByteCount.upperBound

  // MARK: - Sealed files

  /// Base 2 logarithm of the chunk size.
  package static let chunkSizeLog2: ClosedRange<UInt8> = 12...24
  /// The chunk size that vaulttool writes, as base 2 logarithm.
  package static let usualChunkSizeLog2: UInt8 = 16
  /// Chunks per file.
  package static let chunkCount = 1 << 32
  /// Byte count of the header box.
  package static let headerBoxByteCount = 284...12_060
  /// Plain text of the header box: a multiple of `headerPadding`.
  package static let headerByteCount = 256...12_032
  /// The header is padded to a multiple of this.
  package static let headerPadding = 256
  /// The least padded byte count of a content stream.
  package static let streamFloor: UInt64 = 512
  /// Content byte count and payload byte count.
  package static let contentByteCount: UInt64 = 1 << 56
  /// UTF-8 byte count of a media type.
  package static let mediaTypeByteCount = 1...255
  /// Byte count of a link's target.
  package static let linkTargetByteCount: ClosedRange<UInt64> = 1...4_096
  /// Permission bits of a file or folder; no set-id and no sticky bit.
  package static let permissions: ClosedRange<UInt64> = 0...0o777
  /// Nanoseconds of a time.
  package static let nanoseconds: ClosedRange<UInt32> = 0...999_999_999
  /// The window of a zstd frame, as base 2 logarithm (8 MiB).
  package static let windowLog2 = 23

  // MARK: - Names

  /// Byte count of a path.
  package static let pathByteCount = 1...8_192
  /// Byte count of one part of a path.
  package static let pathPartByteCount = 1...255
  /// Parts of a path.
  package static let pathParts = 1_024
  /// Byte count of a companion's path.
  package static let companionPathByteCount = 1...255

  // MARK: - Segments

  /// Byte count of the lists of one segment.
  package static let listsByteCount = 5...134_217_728
  /// Byte count of the box of one segment.
  package static let segmentBoxByteCount = 220...536_870_912
  /// Byte count of a signature.
  package static let signatureByteCount = 64
  /// Entries of one segment.
  package static let entries = 1_048_576
  /// Parents of one segment.
  package static let parents = 256
  /// Replaced segments that one segment names.
  package static let replaces = 1_048_576
  /// Excused segments that one segment names.
  package static let excuses = 1_048_576
  /// Compartments that one took over from (spec §7.5).
  package static let predecessors = 1...16
  /// States of one entry.
  package static let statesPerEntry = 1_048_576
  /// Superseded states of one entry.
  package static let overPerEntry = 1_048_576
  /// The highest place version.
  package static let placeVersion: UInt64 = 1 << 48
  /// The largest step of a place version that is no finding (spec §7.4).
  package static let placeVersionStep: UInt64 = 1 << 20
  /// The least padded byte count of a segment box's plain text.
  package static let segmentBoxFloor: UInt64 = 192

  /// The largest expanded body of a segment box with `entryCount` entries, in bytes.
  package static func expandedBodyByteCount(entryCount: Int) -> Int {
    min(536_870_912, 1_024 + 9_216 * min(entryCount, entries))
  }

  // MARK: - Sealed file made by a merge

  /// Versions that a merged sealed file may name (spec §7.6).
  package static let mergedStates = 1...64

  // MARK: - Commit plan

  /// Byte count of a plan.
  package static let planByteCount = 1...134_217_728
  /// Items of a plan.
  package static let planItems = 1_048_576
}
