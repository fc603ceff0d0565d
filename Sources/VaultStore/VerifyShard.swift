internal import VaultFormat

/// One of several parts of a verification that run apart: everything but `notes/` is checked in each, and a note in
/// exactly one (spec §12).
package struct VerifyShard: Hashable, Sendable {
  /// The most parts that there can be.
  package static let most = 256

  /// Counted from 1.
  package let number: Int
  package let count: Int

  /// Nil unless 1 ≤ number ≤ count ≤ 256.
  package init?(_ number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    self.number = number
    self.count = count
  }

  /// Whether the notes whose ids begin with this byte are of this part.
  package func contains(_ firstByte: UInt8) -> Bool { Int(firstByte) % count == number - 1 }

  /// The folders of `notes/` that are of this part, by their bytes, ascending.
  package var folders: [UInt8] { (UInt8.min...UInt8.max).filter(contains) }
}

extension VerifyOptions {
  /// Whether this run checks a note.
  func covers(_ note: NoteID) -> Bool { shard?.contains(note.firstByte) ?? true }
}
