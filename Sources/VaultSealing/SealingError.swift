package import VaultCrypto
package import VaultFormat

/// Why something could not be sealed, or is not what was sealed. Errors of lower layers are kept
/// whole; no case holds a secret or decrypted text.
package enum SealingError: Error, Equatable, Sendable {
  // MARK: Lower layers

  /// A library call failed, or memory for a secret is not to be had.
  case crypto(CryptoError)
  /// The bytes, or the authentic decrypted bytes, are not what the format allows.
  case format(FormatError)
  /// An authentic payload is not the frame that it has to be.
  case zstd(ZstdFailure)

  // MARK: Belonging elsewhere

  /// The file names another vault than the one it lies in.
  case otherVault
  /// The file belongs to another compartment than the keys.
  case otherCompartment(expected: CompartmentID, found: CompartmentID)
  /// The sealed file is another note than its place asks for.
  case otherNote(expected: NoteID, found: NoteID)
  /// The compartment id is not the one of the signer (spec §7).
  case signerDoesNotFit(compartment: CompartmentID)
  /// The commitment is not the one of this key: made with another key, or damaged (spec §5.3).
  case commitmentMismatch

  // MARK: Not what was sealed

  /// The header box of a sealed file does not authenticate.
  case headerNotAuthentic
  /// A chunk does not authenticate; chunks are counted from 0.
  case chunkNotAuthentic(chunk: Int)
  /// The file is shorter or longer than its header says (spec §6.2).
  case wrongFileByteCount(expected: Int, found: Int)
  /// A byte of the padding of a content stream is not zero.
  case paddingNotZero(streamOffset: UInt64)
  /// The signature of a segment does not hold.
  case signatureInvalid
  /// The signature by which a compartment was handed over does not hold, counted from 0 (spec §7.5).
  case handOverInvalid(predecessor: Int)
  /// The box of a segment or local file does not authenticate.
  case boxNotAuthentic

  // MARK: Writing

  /// What was just sealed does not read back as what was to be sealed.
  case selfCheckFailed
}

extension SealingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .crypto(let error): "\(error)"
    case .format(let error): "\(error)"
    case .zstd(let failure): "\(failure)"
    case .otherVault: "belongs to another vault"
    case .otherCompartment(let expected, let found):
      "belongs to compartment \(found.hex), not to \(expected.hex)"
    case .otherNote(let expected, let found):
      "is note \(found.hex) where \(expected.hex) belongs"
    case .signerDoesNotFit(let compartment):
      "the signer is not that of compartment \(compartment.hex)"
    case .commitmentMismatch: "was sealed with another key, or is damaged"
    case .headerNotAuthentic: "the header was altered or is damaged"
    case .chunkNotAuthentic(let chunk): "chunk \(chunk) was altered or is damaged"
    case .wrongFileByteCount(let expected, let found):
      "has \(found) bytes where \(expected) are expected"
    case .paddingNotZero(let offset): "the padding at byte \(offset) of the content is not zero"
    case .signatureInvalid: "the signature does not hold"
    case .handOverInvalid(let number):
      "the signature of predecessor \(number + 1) does not hold"
    case .boxNotAuthentic: "the sealed part was altered or is damaged"
    case .selfCheckFailed: "what was sealed does not read back as it was"
    }
  }
}

/// Runs a step of a lower layer and keeps its error whole, in the case that `wrap` names.
func lifting<Result: ~Copyable, Failure: Error>(
  _ wrap: (Failure) -> SealingError, _ step: () throws(Failure) -> Result
) throws(SealingError) -> Result {
  do { return try step() } catch { throw wrap(error) }
}
