import Testing

@testable import VaultCommands

/// How a block comes into a hook of git, and out of it (spec/command-line.md, git).
@Suite struct HookScriptTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func without(_ script: [UInt8]) throws -> [UInt8]? {
    try HookScript.removing(from: script)?.rest
  }

  @Test func aNewHookIsAScriptOfItsOwn() throws {
    let script = try HookScript.adding("echo hello", to: nil)
    let text = String(decoding: script, as: UTF8.self)
    #expect(text.hasPrefix("#!/bin/sh\n# >>> vaulttool git setup, whole file >>>\necho hello\n"))
    #expect(HookScript.hasBlock(script))
    #expect(HookScript.isOnlyFirstLine(try #require(try without(script))))
    #expect(try HookScript.adding("echo hello", to: script) == script)
    #expect(try HookScript.adding("echo other", to: script) != script)
  }

  @Test(arguments: [
    "#!/bin/sh\n", "#!/bin/sh", "#!/bin/bash\nset -e\nexit 0\n", "#!/usr/bin/env bash\necho\n",
    "#!/usr/bin/env -S FOO=1 zsh -f\n\n\necho", "#! /usr/bin/dash -e\n# comment\n",
  ])
  func aShellScriptKeepsItsLinesBelowTheBlock(text: String) throws {
    let script = try HookScript.adding("echo hello", to: bytes(text))
    let lines = String(decoding: script, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == text.split(separator: "\n")[0])
    #expect(Array(lines[1...3]).contains("echo hello"))
    #expect(try HookScript.adding("echo hello", to: script) == script)
    let rest = try #require(try without(script))
    #expect(rest == bytes(text) || rest == bytes(text + "\n"))
    let (_, isOwn) = try #require(try HookScript.removing(from: script))
    #expect(!isOwn)
  }

  @Test func linesThatWereAddedToAHookOfOursStay() throws {
    let script = try HookScript.adding("echo hello", to: nil) + bytes("echo mine\n")
    #expect(try without(script) == bytes("#!/bin/sh\necho mine\n"))
    let again = try HookScript.adding("echo other", to: script)
    #expect(try without(again) == bytes("#!/bin/sh\necho mine\n"))
  }

  @Test(arguments: [
    "#!/usr/bin/env python3\n", "#!/usr/bin/perl\n", "#!\n", "echo no first line\n", "",
    "\u{7F}ELF", "#!/usr/bin/env\n", "#!/bin/shell\n",
  ])
  func nothingIsAddedToWhatIsNoShellScript(text: String) {
    #expect(throws: HookScript.Refusal.notShell) {
      try HookScript.adding("echo hello", to: bytes(text))
    }
  }

  @Test func aBlockWithoutItsEndIsLeftAlone() {
    let broken = bytes("#!/bin/sh\n# >>> vaulttool git setup >>>\necho\n")
    #expect(throws: HookScript.Refusal.brokenBlock) { try HookScript.adding("x", to: broken) }
    #expect(throws: HookScript.Refusal.brokenBlock) { try HookScript.removing(from: broken) }
  }

  @Test func onlyTheCheckBeforeACommitCanFail() {
    for name in HookScript.names {
      let block = HookScript.block(name, program: "'/a b/vaulttool'")
      #expect(block.contains("VAULTTOOL_TERMINAL_PROMPT=0"))
      #expect(block.contains("|| exit 1") == (name == "pre-commit"))
      #expect(block.contains("'/a b/vaulttool' ") && !block.contains(" vaulttool verify --staged"))
    }
  }

  @Test func settingsAreTakenFromWhatGitLists() {
    let answer =
      "vaulttool.vault\na b\0vaulttool.vault\n.\0vaulttool.passphrasecommand\nfirst\0"
      + "vaulttool.conflict\nversions\0vaulttool.empty\0vaulttool.passphrasecommand\nline\none\0"
    let settings = RepositorySettings(answer: bytes(answer))
    #expect(settings.vaults == [bytes("a b"), bytes(".")])
    #expect(settings.passphraseCommand == bytes("line\none"))
    #expect(settings.conflict == bytes("versions"))
    #expect(RepositorySettings(answer: []).vaults.isEmpty)
  }
}
