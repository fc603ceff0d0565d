import Foundation
import Testing
import VaultTestSupport

@testable import VaultCommands

/// Runs of reading commands on a copy of a fixture, in this process.
struct ReadingBench {
  let folder: TemporaryFolder
  var vault: String { folder.path(of: "vault") }
  var target: String { folder.path(of: "target") }

  init(_ fixture: String) throws {
    folder = try TemporaryFolder.inMemory()
    let source = Fixtures.url("vaults/v1/\(fixture)/vault").path()
    try #require(TemporaryFolder.run(["/bin/cp", "-R", source, vault]) == 0)
    try Data("correct horse battery staple\n".utf8).write(
      to: URL(filePath: folder.path(of: "passphrase")))
  }

  struct Result {
    let status: CInt
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  /// Runs `vaulttool` with these arguments and the right passphrase.
  func run(_ arguments: String..., onTerminal: Bool = false) -> Result {
    let console = Console.recording(.init(outputIsTerminal: onTerminal))
    let secret = ["--passphrase-file", folder.path(of: "passphrase")]
    let status = Program.run((arguments + secret).map { Array($0.utf8) }, on: console)
    let recorded = console.recorded
    return Result(
      status: status, output: recorded.output,
      errors: String(decoding: recorded.errors, as: UTF8.self))
  }
}
