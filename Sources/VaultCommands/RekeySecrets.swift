import VaultFormat
import VaultStore

/// The secrets that a re-keying was given, and which slots live on because of them.
struct RekeySecrets {
  /// A secret that the options named, with the slot that it opened in the compartment.
  private struct Kept {
    let secret: HeldSecret
    let slot: KeySlot
  }

  /// What all of them open, with the master keys.
  let opened: OpenedSlots
  let compartment: CompartmentID
  private let passphrases: [Kept]
  private let phrase: Kept?
  /// Whether a new passphrase takes the place of the first one that was given, or of one that was typed.
  private let setsPassphrase: Bool
  /// The slot whose passphrase is replaced, for its label.
  private let replaced: KeySlot?

  init(
    _ keyless: KeylessVault, _ secrets: inout Secrets, _ arguments: ArgumentReader,
    _ console: Console
  ) throws(CommandError) {
    let named = try VaultAccess.prepared(secrets.present)
    secrets.held = named
    var found: [(secret: HeldSecret, opened: OpenedSlots)] = []
    if named.isEmpty {
      let pending = try VaultAccess.begin(
        keyless.folder, keyless.snapshot, from: &secrets, console, keepingMasterKeys: true)
      opened = try SecretChange.finish(pending)
    } else {
      found = try Self.open(named, keyless)
      opened = found.dropFirst().reduce(found[0].opened) { $0.joined(with: $1.opened) }
    }
    let current: OpenedSlots
    do { current = try opened.withoutClosed(in: keyless.snapshot) } catch { throw .store(error) }
    let compartment = try Self.choose(current, arguments)
    self.compartment = compartment
    var kept: [Kept] = []
    for (secret, opened) in found {
      let slot = opened.slots.first { $0.head.compartment == compartment }
      if let slot { kept.append(Kept(secret: secret, slot: slot)) }
    }
    phrase = kept.first { $0.secret.value.purpose == .phrase }
    let given = kept.filter { $0.secret.value.purpose == .passphrase }
    setsPassphrase = secrets.newPassphrase != nil || given.isEmpty
    replaced =
      setsPassphrase
      ? given.first?.slot
        ?? opened.slots.first {
          $0.head.compartment == compartment && $0.head.purpose == .passphrase
        } : nil
    passphrases = setsPassphrase ? Array(given.dropFirst()) : given
  }

  /// Opens each by itself, all at the same time, so that it is known which slot each opened.
  private static func open(
    _ named: [HeldSecret], _ keyless: KeylessVault
  ) throws(CommandError) -> [(secret: HeldSecret, opened: OpenedSlots)] {
    let (snapshot, header) = (keyless.snapshot, keyless.folder.header)
    do {
      return try Unlocking(
        snapshot.usableSlots, of: header, with: named, unreadable: snapshot.unreadableSlots,
        keepingMasterKeys: true
      ).finishEach()
    } catch {
      throw .store(error)
    }
  }

  private static func choose(
    _ opened: OpenedSlots, _ arguments: ArgumentReader
  ) throws(CommandError) -> CompartmentID {
    let all = opened.secrets.keys.sorted()
    let start = arguments.value(of: RekeyCommand.compartment)
    let meant = start.map { start in all.filter { Array($0.hex.utf8).starts(with: start) } } ?? all
    if let only = meant.first, meant.count == 1 { return only }
    let list = all.map(\.hex).joined(separator: ", ")
    throw .usage(
      .refused(
        start == nil
          ? "the secrets open \(all.count) compartments; give --compartment: \(list)"
          : "--compartment names none or several of those that the secrets open: \(list)"))
  }

  // MARK: - What lives on

  /// How the new recovery phrase reaches its owner; nil where the old one was given and lives on.
  func newPhrase(
    _ arguments: ArgumentReader, _ console: Console, vault: [UInt8]
  ) throws(CommandError) -> NewPhrase? {
    guard phrase != nil else { return try NewPhrase(arguments, console, vault: vault) }
    if arguments.has(NewPhrase.out) {
      throw .usage(
        .refused("the recovery phrase that was given lives on; --phrase-out is for a new one"))
    }
    return nil
  }

  /// The slots that end: all that no given secret keeps.
  func ending(_ snapshot: Snapshot) -> [SlotEntry] {
    let kept = Set(
      passphrases.map(\.slot.head.locator) + [phrase?.slot.head.locator].compactMap(\.self))
    return SlotListing(snapshot).entries.filter {
      $0.compartment == compartment && !kept.contains($0.locator)
    }
  }

  /// Whether no slot came since they were shown, which would end unnamed, and none went that lives on.
  func fits(_ now: Snapshot, shown: Snapshot) -> Bool {
    let known = Set(SlotListing(shown).entries.map(\.locator))
    let kept = passphrases.map(\.slot) + [phrase?.slot, replaced].compactMap(\.self)
    return Set(now.usableSlots).isSuperset(of: kept)
      && SlotListing(now).entries.allSatisfy {
        $0.compartment != compartment || known.contains($0.locator)
      }
  }

  /// Derives the keys of the slots that live on, and of the new passphrase, which is asked for here.
  func derive(
    _ secrets: inout Secrets, _ texts: SlotTexts, for vault: VaultHeader, _ console: Console
  ) throws(CommandError) -> [SlotRequest] {
    var requests: [SlotRequest] = []
    if setsPassphrase {
      let key = try SecretChange.finish(
        try SecretChange.begin(&secrets, texts, for: vault, console))
      requests.append(
        SlotRequest(key, label: texts.label ?? replaced?.head.label, hint: texts.hint))
    }
    for kept in passphrases + [phrase].compactMap(\.self) {
      let key: SlotKey
      do throws(StoreError) {
        key = try SlotDerivation(of: kept.secret, for: vault, costs: .standard).finish()
      } catch {
        throw .store(error)
      }
      requests.append(
        SlotRequest(key, label: kept.slot.head.label, hint: kept.slot.head.hint))
    }
    return requests
  }
}
