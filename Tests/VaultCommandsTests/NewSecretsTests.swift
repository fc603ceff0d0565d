import Foundation
import Testing
import VaultCommands
import VaultSealing
import VaultStore
import VaultTestSupport

@Suite struct NewSecretsTests {
  private static let spec = CommandSpec(
    name: "set", summary: "Sets secrets.", operands: [],
    options: [NewSecrets.hint, NewSecrets.label, NewPhrase.out] + SecretSources.options
      + SecretSources.newOptions, examples: [])

  private let folder: TemporaryFolder
  private let console = Console.recording()

  init() throws { folder = try TemporaryFolder.inMemory() }

  /// Where the vault would be; nothing is there.
  private var vaultPath: [UInt8] { Array(folder.path(of: "vault").utf8) }

  private func arguments(_ words: String...) throws -> ArgumentReader {
    try ArgumentReader(words.map { Array($0.utf8) }, for: Self.spec)
  }

  private func file(_ content: String, as name: String = "secrets") throws -> String {
    try Data(content.utf8).write(to: URL(filePath: folder.path(of: name)))
    return folder.path(of: name)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func oneFileServesThePresentAndTheNewPassphrase() throws {
    let path = try file("old one\nnew one\n")
    let sources = try SecretSources(
      parsing: try arguments("--passphrase-file", path, "--new-passphrase-file", path))
    var secrets = try NewSecrets.read(sources)
    let new = try NewSecrets.passphrase(.newPassphraseOptions, from: &secrets, console)
    let old = try NewSecrets.passphrase(.passphraseOptions, from: &secrets, console)
    #expect(text(of: new.prepared) == "new one")
    #expect(text(of: old.prepared) == "old one")
  }

  @Test func aNewPassphraseHasToBeOneThatStaysTheSame() throws {
    let path = try file("a\tb\n")
    let sources = try SecretSources(parsing: try arguments("--new-passphrase-file", path))
    var secrets = try NewSecrets.read(sources)
    #expect(
      throws: CommandError.store(.passphraseUnusable(.controlCharacter(position: 2)))
    ) {
      _ = try NewSecrets.passphrase(.newPassphraseOptions, from: &secrets, console)
    }
  }

  @Test func withoutATerminalTheRightOptionsAreNamed() throws {
    var none = try NewSecrets.read(SecretSources())
    for (route, error, option): (NewSecrets.Route, SecretError, String) in [
      (.newPassphraseOptions, .noTerminalFor(.newPassphrase), "give --new-passphrase-file,"),
      (.passphraseOptions, .noTerminal, "give --passphrase-file,"),
    ] {
      #expect(throws: CommandError.secret(error)) {
        _ = try NewSecrets.passphrase(route, from: &none, console)
      }
      #expect(error.hint?.hasPrefix(option) == true)
    }
    #expect(throws: CommandError.secret(.noTerminalFor(.phrase))) {
      _ = try PresentPhrase.take(from: &none, console)
    }
    #expect(
      throws: CommandError.usage(
        .refused("there is no terminal to show the recovery phrase on; give --phrase-out FILE"))
    ) { _ = try NewPhrase(try arguments(), console, vault: vaultPath) }
  }

  @Test func aNewPhraseLiesInItsFileWhileItIsPutIntoTheVault() throws {
    let path = folder.path(of: "phrase")
    let written = try NewPhrase(try arguments("--phrase-out", path), console, vault: vaultPath).make
    {
      (phrase) throws(CommandError) in
      let file = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return file == text(of: phrase.prepared) + "\n"
    }
    #expect(written)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let said = String(decoding: console.recorded.errors, as: UTF8.self)
    #expect(said.contains("put it on paper and delete the file"))
    #expect(console.recorded.output.isEmpty)
  }

  @Test func aPhraseThatDidNotGetIntoTheVaultIsRemovedAgain() throws {
    let phrase = try NewPhrase(
      try arguments("--phrase-out", folder.path(of: "phrase")), console, vault: vaultPath)
    #expect(throws: CommandError.store(.busy)) {
      try phrase.make { (_) throws(CommandError) in throw .store(.busy) }
    }
    #expect(try names().isEmpty)
    #expect(console.recorded.errors.isEmpty)
  }

  @Test func aPhraseNeedsANewFile() throws {
    let path = try file("mine")
    #expect(
      throws: CommandError.usage(
        .refused(
          "\(path) exists; --phrase-out takes the name of a new file ('vaulttool phrase check' tells "
            + "whether a phrase of an earlier run opens the vault)"))
    ) { _ = try NewPhrase(try arguments("--phrase-out", path), console, vault: vaultPath) }
    #expect(
      throws: CommandError.usage(
        .refused(
          "--phrase-out takes the name of a new file; the phrase is never printed to a stream"))
    ) { _ = try NewPhrase(try arguments("--phrase-out", "-"), console, vault: vaultPath) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test func textsOfASlotAreBoundedAndPublic() throws {
    let long = String(repeating: "x", count: 257)
    for option in ["hint", "label"] {
      #expect(
        throws: CommandError.usage(.invalidValue(option: option, expected: "1 to 256 bytes"))
      ) { _ = try SlotTexts(try arguments("--\(option)", long)) }
    }
    let texts = try SlotTexts(try arguments("--hint", "the comic", "--label", "laptop"))
    #expect(texts.hint == "the comic" && texts.label == "laptop")
    var secrets = try NewSecrets.read(
      SecretSources(present: [.passphrase(.file(Array(try file("Lap").utf8)))]))
    let passphrase = try NewSecrets.passphrase(.passphraseOptions, from: &secrets, console)
    #expect(
      throws: CommandError.usage(
        .refused("the label contains the passphrase, and anyone can read it"))
    ) { try texts.check(against: passphrase, [], console) }
    #expect(console.recorded.errors.isEmpty)
    try SlotTexts(try arguments("--hint", "the comic")).check(against: passphrase, [], console)
    let said = String(decoding: console.recorded.errors, as: UTF8.self)
    #expect(said == "vaulttool: the hint is public: anyone who has the vault can read it\n")
  }
}
