import VaultFormat
import VaultStore

/// Finds the keys of sealed files that git hands over. Nobody is asked: there is a session, or the repository's
/// configuration names a passphrase command and the vaults that it opens.
struct NoteKeys {
  private static let pathByteCount = 8_192

  let settings: RepositorySettings?
  private let console: Console

  /// Reads the configuration of the repository around the current folder, if there is one.
  init(_ console: Console) {
    self.console = console
    settings = try? RepositorySettings(in: Array(".".utf8))
  }

  /// Nil where nothing at hand opens the compartment.
  func secret(of compartment: CompartmentID) -> CompartmentSecret? {
    // Where the key ring cannot be used there is no session.
    if let session = try? Session.find(compartment) {
      session.use()
      return session.secret
    }
    guard let settings, settings.passphraseCommand != nil, let top = top() else { return nil }
    for vault in settings.vaults {
      if let secret = try? open(top + [UInt8(ascii: "/")] + vault, compartment) { return secret }
    }
    return nil
  }

  private func open(
    _ path: [UInt8], _ compartment: CompartmentID
  ) throws -> CompartmentSecret? {
    let vault = try VaultFolder(path: path)
    let snapshot = try Snapshot.loadSlots(vault, bounds: .standard)
    guard snapshot.usableSlots.contains(where: { $0.head.compartment == compartment }) else {
      return nil
    }
    let pending = try VaultAccess.begin(
      vault, snapshot, SecretSources(), console, unnamed: .repository)
    return try pending.finish().secrets[compartment]
  }

  /// The top of the work tree.
  private func top() -> [UInt8]? {
    let answer = try? Git.run(
      ["rev-parse", "--show-toplevel"], in: Array(".".utf8), limit: Self.pathByteCount)
    guard var path = answer, path.popLast() == 0x0A else { return nil }
    return path
  }
}
