import VaultFormat
import VaultStore

/// Finds the keys of sealed files that git hands over. Nobody is asked: there is a session, or the repository's
/// configuration names a passphrase command and the vaults that it opens.
struct NoteKeys {
  private static let here = Array(".".utf8)

  private let console: Console

  init(_ console: Console) { self.console = console }

  /// The configuration of the repository around the current folder, if there is one.
  var settings: RepositorySettings? { try? RepositorySettings(in: Self.here) }

  /// Nil where nothing at hand opens the compartment.
  func secret(of compartment: CompartmentID) -> CompartmentSecret? {
    // Where the key ring cannot be used there is no session.
    if let session = try? Session.find(compartment) {
      session.use()
      return session.secret
    }
    guard let settings, settings.passphraseCommand != nil, let top = GitPlace.top(of: Self.here)
    else { return nil }
    for vault in settings.vaults {
      let path = top + [UInt8(ascii: "/")] + vault
      do throws(CommandError) {
        if let secret = try open(path, compartment) { return secret }
      } catch {
        console.warn("\(DisplayName(path)) was not opened: \(error)")
      }
    }
    return nil
  }

  private func open(
    _ path: [UInt8], _ compartment: CompartmentID
  ) throws(CommandError) -> CompartmentSecret? {
    let vault: VaultFolder
    let snapshot: Snapshot
    do {
      vault = try VaultFolder(path: path)
      snapshot = try Snapshot.loadSlots(vault, bounds: .standard)
    } catch {
      throw .store(error)
    }
    // One derivation costs a third of a second: only where it can be of use.
    guard snapshot.usableSlots.contains(where: { $0.head.compartment == compartment }) else {
      return nil
    }
    let pending = try VaultAccess.begin(
      vault, snapshot, SecretSources(), console, unnamed: .repository)
    do { return try pending.finish().secrets[compartment] } catch { throw .store(error) }
  }
}
