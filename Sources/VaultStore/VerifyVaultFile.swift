internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// The file `VAULT` as verification meets it: it may be damaged or gone, and the rest is checked all the same.
enum VerifyVaultFile {
  /// `VAULT` as it should be, with its digest as it is.
  case sound(VaultHeader, Digest)
  /// What is wrong with it; the digest of its bytes where there are any.
  case unusable(Finding, Digest?)

  /// What a sync tool leaves when it takes the file away (spec §3.5).
  private static let placeholder = Layout.bytes(".VAULT.icloud")

  /// - Throws: `notAVault` for a folder with neither `VAULT` nor folders of slots; `crypto`, `system`.
  init(in root: borrowing Directory, path: [UInt8]) throws(StoreError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      guard try root.status(of: Layout.header) != nil else {
        let index = try root.status(of: Layout.index)?.kind
        let spare = try root.status(of: Layout.spare)?.kind
        guard index == .folder || spare == .folder else {
          throw SystemError(call: "openat", code: .notFound)
        }
        let isElsewhere = try root.status(of: Self.placeholder) != nil
        self = .unusable(
          isElsewhere
            ? Finding.foreign(Self.placeholder, at: Self.placeholder)
            : Finding(
              .headerDiffers, Layout.header, "VAULT is missing; any slot can rebuild it",
              found: "no file"), nil)
        return
      }
      bytes = try root.readWhole(Layout.header, limit: Limits.vaultFileByteCount)
    } catch {
      if error.code == .notFound { throw .notAVault(path: path) }
      self = .unusable(Finding(error, at: Layout.header), nil)
      return
    }
    let digest: Digest
    do { digest = Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
    do {
      self = .sound(try VaultHeader(decoding: bytes.span), digest)
    } catch {
      self = .unusable(Finding(Finding.Code(error), Layout.header, "\(error)"), digest)
    }
  }

  /// What most slots repeat of `VAULT` (spec §5.4); nil where no slot can be read.
  static func repeated(
    bySlotsIn root: borrowing Directory, bounds: KDFBounds
  ) -> VaultHeader? {
    var votes: [VaultHeader: Int] = [:]
    for name in [Layout.index, Layout.spare] {
      // Whatever cannot be read here is a finding of the walk.
      guard let folder = try? Directory(opening: name, in: root),
        let entries = try? folder.entries()
      else { continue }
      let slots = entries.map(\.name).filter { FileNameHex.locator($0) != nil }
      for slot in slots.prefix(Limits.slotFiles) {
        guard let bytes = try? folder.readWhole(slot, limit: Limits.slotFileByteCount),
          let head = try? KeySlot(decoding: bytes.span, bounds: bounds).head,
          // A slot whose ids do not fit each other has no say (spec §5.3).
          let compartment = try? CompartmentKeys.compartmentID(
            vaultID: head.vaultID, signer: head.signer), compartment == head.compartment,
          let header = try? VaultHeader(
            vaultID: head.vaultID, vaultSalt: head.vaultSalt,
            firstCompartment: head.firstCompartment, laterKeys: LaterKeys())
        else { continue }
        votes[header, default: 0] += 1
      }
    }
    return votes.max { ($0.value, $0.key.vaultID) < ($1.value, $1.key.vaultID) }?.key
  }
}
