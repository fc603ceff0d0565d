import Foundation
import Testing
import VaultTestSupport

/// What spec/threat-model.md says is secret, and that each of its claims has a test.
@Suite struct ThreatModelTests {
  @Test func everyClaimNamesATestThatExists() throws {
    let page = try text("../spec/threat-model.md")
    let claims = page.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.hasSuffix("` |") }
    #expect(claims.count >= 14)
    let tests = try sources(below: Fixtures.url("../Tests")).joined()
    for claim in claims {
      let names = claim.split(separator: "|").last?.split(separator: "`") ?? []
      for name in names where name.first?.isLowercase == true {
        #expect(tests.contains("func \(name)("), "\(name) is no test")
      }
    }
  }

  @Test func nothingOfANoteStandsInTheVault() throws {
    let place = try TemporaryFolder()
    let outcome = try BuiltTool.shell(
      """
      mkdir -p notes/Quarterlyfolder && printf 'Zanzibarcontent %.0s' 1 2 3 4 5 6 > notes/Quarterlyfolder/Hippopotamus.md
      ln -s Rhinocerostarget notes/Giraffelink
      echo 'a passphrase' > pass
      "$TOOL" init v --passphrase-file pass --phrase-out phrase &&
      "$TOOL" pack notes v --passphrase-file pass &&
      "$TOOL" ls v --passphrase-file pass | grep -q Hippopotamus || exit 9
      for word in Quarterlyfolder Zanzibarcontent Hippopotamus Rhinocerostarget Giraffelink 'a passphrase' "$(cut -c1-20 phrase)"; do
        if grep -r -a -q -e "$word" v || find v | grep -q "$word"; then echo "found $word"; fi
      done
      """, in: place)
    #expect(outcome.status == 0, "\(outcome.errorText)")
    #expect(outcome.output.isEmpty, "\(String(decoding: outcome.output, as: UTF8.self))")
  }

  @Test func smallNotesLookAlike() throws {
    let place = try TemporaryFolder()
    let outcome = try BuiltTool.shell(
      """
      mkdir notes && : > notes/a.md && head -c 500 /dev/urandom > notes/b.md && echo p > pass
      "$TOOL" init v --passphrase-file pass --phrase-out phrase &&
      "$TOOL" pack notes v --passphrase-file pass &&
      find v/notes -name '*.sealed' -printf '%s\\n' | sort -u | wc -l
      """, in: place)
    #expect(outcome.status == 0, "\(outcome.errorText)")
    #expect(String(decoding: outcome.output, as: UTF8.self).contains("1\n"))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Fixtures.url(path), encoding: .utf8)
  }

  private func sources(below folder: URL) throws -> [String] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
  }
}
