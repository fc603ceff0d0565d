internal import VaultFormat
internal import VaultSealing

extension Finding.Code {
  /// What a note that could not be read would be called by `verify`; nil for what is no finding about the vault.
  package init?(_ error: StoreError) {
    switch error {
    case .damaged(_, let error): self.init(error)
    case .noteNotAsListed(_, let code): self = code
    case .system(let error, _):
      switch error {
      case .notRegular: self = .notARegularFile
      case .overLimit: self = .extraBytes
      case .failed(_, let code): self = code == .notFound ? .noteMissing : .unreadable
      }
    case .sealing(let error, _):
      switch error {
      case .crypto, .selfCheckFailed: return nil
      case .format(let error): self.init(error)
      case .otherVault, .otherCompartment: self = .foreignVault
      case .otherNote: self = .misnamed
      case .wrongFileByteCount(let expected, let found):
        self = found < expected ? .cutFile : .extraBytes
      case .zstd, .paddingNotZero: self = .malformed
      case .signerDoesNotFit: self = .wrongSigner
      case .signatureInvalid, .handOverInvalid: self = .badSignature
      case .commitmentMismatch, .headerNotAuthentic, .chunkNotAuthentic, .boxNotAuthentic:
        self = .sealBroken
      }
    default: return nil
    }
  }
}
