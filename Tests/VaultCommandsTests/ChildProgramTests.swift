import Testing
import VaultStore
import VaultTestSupport

@testable import VaultCommands

/// What a child gets of this process and what is taken of it.
@Suite struct ChildProgramTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func shell(_ script: String) -> ChildProgram.Call {
    ChildProgram.Call(words: ["/bin/sh", "-c", script].map(bytes), environment: [])
  }

  private func said(_ script: String) throws -> ChildProgram.Outcome {
    try ChildProgram.run(shell(script), in: bytes("/"), limit: 1_000)
  }

  @Test func itKeepsNothingOfItsParent() throws {
    var call = shell("env; ls /proc/self/fd; pwd; cat; echo no >&2; exit 3")
    call.environment = [bytes("A=b")]
    let outcome = try ChildProgram.run(call, in: bytes("/usr"), limit: 1_000)
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
    // The shell adds PWD and the like; `ls` has a descriptor of its own open.
    #expect(lines.contains("A=b") && !lines.contains { $0.hasPrefix("HOME=") })
    #expect(lines.contains("/usr") && lines.contains("3") && !lines.contains("4"))
    #expect(outcome.status == 3 && outcome.errors == bytes("no\n"))
    #expect(try said("kill -9 $$").status == 256 + 9)
  }

  @Test func itsInputComesWholeAndEnds() throws {
    var call = shell("cat")
    call.input = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let echoed = try ChildProgram.run(call, in: bytes("/"), limit: 300_000)
    #expect(echoed.output == call.input)
    call.words = ["/bin/sh", "-c", "exit 7"].map(bytes)
    #expect(try ChildProgram.run(call, in: bytes("/"), limit: 1).status == 7)
  }

  @Test func itsOutputIsBoundedAndMayBeStopped() throws {
    #expect(throws: ChildProgram.Failure.outputTooLong(limit: 1_000)) { try said("yes") }
    var taken = 0
    #expect(throws: ChildProgram.Failure.stopped) {
      try ChildProgram.run(shell("yes"), in: bytes("/")) { piece in
        taken += piece.count
        return taken > 200_000 ? .stop : .more
      }
    }
    #expect(taken > 200_000)
    var text: [UInt8] = []
    let ended = try ChildProgram.run(shell("echo a; echo b; exit 2"), in: bytes("/")) { piece in
      for index in piece.indices { text.append(piece[index]) }
      return .more
    }
    #expect(text == bytes("a\nb\n") && ended.status == 2 && ended.output.isEmpty)
  }

  @Test func inheritedFilesAreItsThirdAndFourthDescriptor() throws {
    let one = try MemoryFile(holding: bytes("one\n").span)
    let two = try MemoryFile()
    try two.write(bytes("two\n").span)
    try two.rewind()
    var call = shell("cat /proc/self/fd/4 <&4; cat <&3; ls /proc/self/fd; echo more >&4")
    call.descriptors = [one.file.number, two.file.number]
    let outcome = try ChildProgram.run(call, in: bytes("/"), limit: 1_000)
    #expect(outcome.output == bytes("two\none\n0\n1\n2\n3\n4\n5\n"))
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(try two.readWhole(limit: 100) == bytes("more\n"))
    call.descriptors = [two.file.number, one.file.number]
    #expect(
      try ChildProgram.run(call, in: bytes("/"), limit: 1_000).output.starts(with: bytes("one")))
    call.descriptors = Array(repeating: one.file.number, count: 9)
    #expect(throws: ChildProgram.Failure.self) {
      try ChildProgram.run(call, in: bytes("/"), limit: 1_000)
    }
  }
}
