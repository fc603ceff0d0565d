import Foundation
import Testing
import VaultTestSupport

@testable import VaultCommands

@Suite struct InspectCommandTests {
  private func run(_ arguments: String...) -> (status: CInt, output: String, errors: String) {
    let console = Console.recording()
    let status = Program.run(arguments.map { Array($0.utf8) }, on: console)
    let recorded = console.recorded
    return (
      status, String(decoding: recorded.output, as: UTF8.self),
      String(decoding: recorded.errors, as: UTF8.self)
    )
  }

  private func path(_ file: String) -> String {
    Fixtures.url("vaults/v1/basic/vault/\(file)").path(percentEncoded: false)
  }

  private func json(_ file: String) throws -> [String: Any] {
    let outcome = run("inspect", "--json", path(file))
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("}\n") && outcome.output.count { $0 == "\n" } == 1)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(object as? [String: Any])
  }

  @Test func theHeaderIsATableOfOffsets() {
    let outcome = run("inspect", path("VAULT"))
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        kind       VAULT, format version 1, suite 1
        bytes      88
        SHA-256    24b4650acfad0ce74370a0fd751837ef76aaa54b43b50bd7652f0dbcd0228d9a

            offset       bytes  part
                 0           8  magic = 89564c540d0a1a0a
                 8           1  kind = 1
                 9           1  version = 1
                10           1  suite = 1
                11           1  zero = 0
                12           4  length = 72
                16           1  public map
                17          18  vault id = d3a831f5d9a16ad13b01d85182eb565f
                35          35  vault salt = \
        74c2e7b17dd368d4308d26b9ca9bc53af6fce42884bee7f02258344d286e83db
                70          18  first compartment = d61887e275dd8484967967937883d83a

        """)
  }

  @Test func theJSONReportHasThePromisedFields() throws {
    let common = ["file_bytes", "kind", "parts", "schema", "sha256", "suite", "version"]
    #expect(try json("VAULT").keys.sorted() == common)
    let sealed = try json("notes/ae/ae82e9245e3bb5b43487455867869dfa.sealed")
    #expect(sealed.keys.sorted() == (common + ["chunk_bytes", "chunks", "digest"]).sorted())
    #expect(sealed["chunks"] as? Int == 3)
    #expect(sealed["chunk_bytes"] as? Int == 4_096)
    let parts = try #require(sealed["parts"] as? [[String: Any]])
    #expect(parts.suffix(3).map { $0["name"] as? String } == ["chunk 0", "chunk 1", "chunk 2"])
    #expect(parts.suffix(3).map { $0["offset"] as? Int } == [424, 4_536, 8_648])
    let segment = try json("index/39a58bc2f348bf82621d242563daf744.seg")
    let lists = try #require(segment["segment"] as? [String: Any])
    #expect(
      lists.keys.sorted() == [
        "entries", "excuses", "id", "parents", "replaces", "signature_holds",
      ])
    let entries = try #require(lists["entries"] as? [[String: Any]])
    #expect(
      entries.map { $0.keys.sorted() } == [["id", "kind", "over", "place_version", "states"]])
  }

  @Test func aDamagedFileShowsWhatIsThereAndHasStatus5() throws {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "x.slot")
    let slot = "index/57c370867be4def60f3303408620f2af61e86d2d5ebd3a4cd2ae899a8b9fe4c9.slot"
    try Data(contentsOf: URL(filePath: path(slot))).prefix(250).write(to: URL(filePath: file))
    let outcome = run("inspect", file)
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("  219          19  label = 'paper in the safe'\n"))
    #expect(outcome.errors.contains("'box' at byte 238 needs 60 bytes but 12 remain"))
    try Data("version https://git-lfs.github.com/spec/v1\n".utf8).write(to: URL(filePath: file))
    #expect(run("inspect", file).errors.contains("large-file pointer"))
  }

  @Test func anotherVersionIsStatus7AndAMissingFile1() throws {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "VAULT")
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path("VAULT"))))
    bytes[9] = 2
    try Data(bytes).write(to: URL(filePath: file))
    #expect(run("inspect", file).status == 7)
    #expect(run("inspect", folder.path(of: "none")).status == 1)
    #expect(run("inspect", folder.path).status == 1)
    #expect(run("inspect").status == 2)
  }
}
