/// The names that keep one use of a key apart from every other (spec §5.1).
package enum Label: String, CaseIterable, Sendable {
  case pbkdf2
  case slotLocator = "slot locator"
  case slotKey = "slot key"
  case slot
  case root
  case signing
  case compartment
  case dropBox = "drop box"
  case headerKey = "header key"
  case contentKey = "content key"
  case fileCommitment = "file commitment"
  case header
  case chunk
  case segmentKey = "segment key"
  case segmentCommitment = "segment commitment"
  case segment
  case segmentSignature = "segment signature"
  case mask
  case handOver = "hand-over"
  case formerKey = "former key"
  case localKey = "local key"
  case localCommitment = "local commitment"
  case localName = "local name"

  private static let family = "vaulttool/1 "

  /// HMAC key for a prepared passphrase: text without an ending zero byte (spec §5.2).
  package static let passphraseHMACKey = Array("\(family)passphrase".utf8)

  /// HMAC key for a prepared recovery phrase: text without an ending zero byte (spec §5.2).
  package static let phraseHMACKey = Array("\(family)phrase".utf8)

  /// `L(name)`: the family, the name and one zero byte.
  package var bytes: [UInt8] { Array("\(Self.family)\(rawValue)".utf8) + [0] }

  /// `L(name) ‖ fields`, the `info` of an Expand, the AAD of a box or the start of a hash.
  ///
  /// Not for use per chunk: it allocates.
  package func followed(by fields: [UInt8]...) -> [UInt8] {
    fields.reduce(into: bytes) { $0.append(contentsOf: $1) }
  }
}
