/// How many PBKDF2 iterations a slot may ask for (spec §5.4). Tests pass cheaper bounds than
/// `standard`; nothing else does.
package struct KDFBounds: Hashable, Sendable {
  package let passphrase: ClosedRange<UInt32>
  package let phrase: ClosedRange<UInt32>

  package init(passphrase: ClosedRange<UInt32>, phrase: ClosedRange<UInt32>) {
    self.passphrase = passphrase
    self.phrase = phrase
  }

  /// The bounds of the format (spec §11).
  package static let standard = KDFBounds(
    passphrase: Limits.passphraseIterations, phrase: Limits.phraseIterations)

  /// The iterations that a slot of `purpose` may ask for.
  package func iterations(for purpose: SlotPurpose) -> ClosedRange<UInt32> {
    switch purpose {
    case .passphrase: passphrase
    case .phrase: phrase
    }
  }
}
