import Glibc
import Testing
import VaultCommands
import VaultCrypto
import VaultStore
import VaultTestSupport

extension SecretInputTests {
  @Suite struct SecretSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ content: [UInt8]) -> SecretSource {
      let descriptor = unsafe open(folder.path(of: name), O_WRONLY | O_CREAT | O_EXCL, 0o600)
      _ = unsafe write(descriptor, content, content.count)
      close(descriptor)
      return .file(Array(folder.path(of: name).utf8))
    }

    private func file(_ name: String, _ content: String) -> SecretSource {
      file(name, Array(content.utf8))
    }

    private func pipe(holding text: String) -> CInt {
      var ends: [CInt] = [-1, -1]
      unsafe Glibc.pipe(&ends)
      _ = unsafe write(ends[1], Array(text.utf8), text.utf8.count)
      close(ends[1])
      return ends[0]
    }

    // MARK: - Files and descriptors

    @Test func aFileIsHandedOverAsItIs() throws {
      #expect(text(of: try file("a", " hunter2 \r\n").read(as: .passphrase)) == " hunter2 \r\n")
      #expect(text(of: try file("b", "one\ntwo").read(as: .passphrase)) == "one\ntwo")
    }

    @Test(arguments: ["", "\n", "\r\n"]) func nothingIsNotAWrongSecret(content: String) throws {
      let source = file("empty", content)
      #expect(throws: SecretError.nothingReceived(.phrase)) { _ = try source.read(as: .phrase) }
      #expect(throws: SecretError.nothingReceived(.passphrase)) {
        _ = try SecretSource.file(Array("/dev/null".utf8)).read(as: .passphrase)
      }
      #expect("\(SecretError.nothingReceived(.passphrase))" == "no passphrase received")
      #expect(SecretError.nothingReceived(.passphrase).exitCode == .secretRefused)
    }

    @Test func aLongFileIsRefusedAndNeverCut() throws {
      let most = file("most", [UInt8](repeating: 97, count: SecretSource.maximumByteCount))
      let one = file("one", [UInt8](repeating: 97, count: SecretSource.maximumByteCount + 1))
      let endless = SecretSource.file(Array("/dev/zero".utf8))
      let expected = SecretError.tooLong(.passphrase, limit: SecretSource.maximumByteCount)
      #expect(try most.read(as: .passphrase).count == SecretSource.maximumByteCount)
      #expect(throws: expected) { _ = try one.read(as: .passphrase) }
      #expect(throws: expected) { _ = try endless.read(as: .passphrase) }
    }

    @Test func whatCannotBeReadIsNamedWithItsReason() throws {
      let missing = SecretSource.file(Array(folder.path(of: "no\u{1B}").utf8))
      #expect(throws: SecretError.unreadable(missing, .notFound)) {
        _ = try missing.read(as: .passphrase)
      }
      #expect(
        "\(SecretError.unreadable(missing, .notFound))"
          == "cannot read \(folder.path)/no\\x1b: No such file or directory")
      let directory = SecretSource.file(folder.bytes)
      #expect(throws: SecretError.unreadable(directory, .isAFolder)) {
        _ = try directory.read(as: .passphrase)
      }
    }

    @Test func aPipeAndItsPathAreReadToTheEnd() throws {
      let descriptor = pipe(holding: "hunter2\n")
      #expect(
        text(of: try SecretSource.descriptor(descriptor).read(as: .passphrase)) == "hunter2\n")
      close(descriptor)
      let other = pipe(holding: "hunter3")
      let source = SecretSource.file(Array("/dev/fd/\(other)".utf8))
      #expect(text(of: try source.read(as: .passphrase)) == "hunter3")
      close(other)
    }

    @Test func aNamedPipeMayBeWrittenLateAndInPieces() throws {
      let path = folder.path(of: "fifo")
      unsafe mkfifo(path, 0o600)
      let writer = try BackgroundTask { () -> Bool in
        // Opens only once there is a reader, which found nothing to read then.
        let descriptor = unsafe open(path, O_WRONLY)
        defer { close(descriptor) }
        _ = unsafe write(descriptor, Array("hun".utf8), 3)
        var unread: CInt = 3
        while unread > 0 {
          guard unsafe ioctl(descriptor, UInt(FIONREAD), &unread) == 0 else { return false }
          sched_yield()
        }
        return unsafe write(descriptor, Array("ter2\n".utf8), 5) == 5
      }
      let source = SecretSource.file(Array(path.utf8))
      #expect(text(of: try source.read(as: .passphrase)) == "hunter2\n")
      let hasWritten = writer.wait()
      #expect(hasWritten)
    }

    @Test func aTerminalIsNotReadWithEcho() throws {
      let terminal = try PseudoTerminal()
      let source = SecretSource.file(Array(terminal.path.utf8))
      #expect(throws: SecretError.sourceIsTerminal(source)) {
        _ = try source.read(as: .passphrase)
      }
    }

    @Test func aSignalEndsTheWaitForAWriter() async {
      await #expect(processExitsWith: .exitCode(143)) {
        expectSignal(SIGTERM)
        Interruption.listen()
        let folder = try TemporaryFolder()
        let path = folder.path(of: "fifo")
        unsafe mkfifo(path, 0o600)
        let writer = try BackgroundTask { () -> CInt in
          let descriptor = unsafe open(path, O_WRONLY)
          kill(getpid(), SIGTERM)
          return descriptor
        }
        do throws(SecretError) {
          _ = try SecretSource.file(Array(path.utf8)).read(as: .passphrase)
        } catch {
          close(writer.wait())
          exit(error.exitCode.status)
        }
      }
    }

    // MARK: - Commands

    private func output(of command: String) throws(SecretError) -> String {
      text(of: try SecretSource.command(Array(command.utf8)).read(as: .passphrase))
    }

    @Test func theOutputOfACommandIsTaken() throws {
      #expect(try output(of: "printf 'a b'; printf '\\nc'") == "a b\nc")
      #expect(throws: SecretError.commandFailed(status: 127)) { try output(of: "-x 2>/dev/null") }
    }

    @Test func aCommandThatFailsIsRefusedWhateverItPrinted() {
      #expect(throws: SecretError.commandFailed(status: 3)) { try output(of: "echo x; exit 3") }
      #expect(throws: SecretError.commandFailed(status: 127)) {
        try output(of: "echo x; /nonexistent/program 2>/dev/null")
      }
      #expect(throws: SecretError.commandKilled(signal: 9)) { try output(of: "echo x; kill -9 $$") }
      #expect(throws: SecretError.nothingReceived(.passphrase)) { try output(of: "true") }
    }

    @Test func aCommandThatNeverStopsPrintingIsRefused() {
      #expect(
        throws: SecretError.tooLong(.passphrase, limit: SecretSource.maximumByteCount)
      ) { try output(of: "exec yes") }
    }

    @Test func aCommandGetsNoInputAndNoneOfOurDescriptors() throws {
      #expect(throws: SecretError.nothingReceived(.passphrase)) { try output(of: "cat") }
      let inherited = fcntl(pipe(holding: "secret"), F_DUPFD, 100)
      defer { close(inherited) }
      #expect(fcntl(inherited, F_GETFD) == 0)
      #expect(
        try output(of: "for n in /proc/self/fd/*; do test -e $n && echo ${n##*/}; done; :")
          .split(separator: "\n").allSatisfy { Int($0).map { $0 < inherited } ?? false })
    }

    @Test func aCommandDiesQuietlyWhenItsReaderIsGone() throws {
      // The signal is ignored by us, and must not be by the child.
      #expect(try output(of: "(trap) ; yes 2>&1 | head -n 1") == "y\n")
    }

    // MARK: - Several secrets

    @Test func twoLinesOfOneSourceServeTwoSecretsInOrder() throws {
      let source = file("two", "old\r\nnew\n")
      var secrets = try SecretSources(present: [.passphrase(source)], newPassphrase: source).read()
      #expect(secrets.present.map { text($0) } == ["old\r\n"])
      #expect(optionalText(of: secrets.newPassphrase.take()) == "new\n")
      #expect(optionalText(of: secrets.newPhrase.take()) == nil)
      let descriptor = pipe(holding: "phrase words\nnew")
      defer { close(descriptor) }
      let shared = SecretSource.descriptor(descriptor)
      var others = try SecretSources(present: [.phrase(shared)], newPassphrase: shared).read()
      #expect(others.present.map { text($0) } == ["phrase words\n"])
      #expect(others.present.map(\.origin) == ["line 1 of descriptor \(descriptor)"])
      #expect(optionalText(of: others.newPassphrase.take()) == "new")
    }

    @Test(arguments: [("old\n", 1), ("old", 1), ("a\nb\nc\n", 3), ("a\nb\nc", 3), ("a\nb\n\n", 3)])
    func missingAndExtraLinesAreRefused(content: String, found: Int) {
      let source = file("lines", content)
      #expect(throws: SecretError.wrongLineCount(source, expected: 2, found: found)) {
        _ = try SecretSources(present: [.passphrase(source)], newPassphrase: source).read()
      }
    }

    @Test func anEmptyLineIsNoSecret() {
      let first = file("first", "\nnew\n")
      #expect(throws: SecretError.nothingReceived(.passphrase)) {
        _ = try SecretSources(present: [.passphrase(first)], newPassphrase: first).read()
      }
      let second = file("second", "old\n\r\n")
      #expect(throws: SecretError.nothingReceived(.newPassphrase)) {
        _ = try SecretSources(present: [.passphrase(second)], newPassphrase: second).read()
      }
    }

    @Test func differentSourcesAreReadWhole() throws {
      var secrets = try SecretSources(
        present: [.passphrase(file("a", "one\n"))], newPassphrase: file("b", "two\n")
      ).read()
      #expect(secrets.present.map { text($0) } == ["one\n"])
      #expect(optionalText(of: secrets.newPassphrase.take()) == "two\n")
    }

    @Test func severalPresentSecretsKeepTheOrderOfTheirOptions() throws {
      let (one, two) = (file("one", "1\n"), file("two", "2\n3\n4\n5"))
      var secrets = try SecretSources(
        present: [.phrase(two), .passphrase(one), .passphrase(two)], newPassphrase: two,
        newPhrase: two
      ).read()
      #expect(secrets.present.map { text($0) } == ["2\n", "1\n", "3\n"])
      #expect(secrets.present.map(\.kind) == [.phrase, .passphrase, .passphrase])
      #expect(secrets.present.map(\.origin) == ["line 1 of \(two)", "\(one)", "line 2 of \(two)"])
      #expect(optionalText(of: secrets.newPassphrase.take()) == "4\n")
      #expect(optionalText(of: secrets.newPhrase.take()) == "5")
    }

    @Test func anEmptyLineAmongSeveralIsNamedByItsKind() {
      let source = file("gap", "1\n\n3\n")
      #expect(throws: SecretError.nothingReceived(.phrase)) {
        _ = try SecretSources(
          present: [.passphrase(source), .phrase(source), .passphrase(source)]
        ).read()
      }
    }

    @Test func aCommandThatIsNamedTwiceRunsTwice() throws {
      let command = SecretSource.command(Array("echo x".utf8))
      let secrets = try SecretSources(
        present: [.passphrase(command), .passphrase(command)]
      ).read()
      #expect(secrets.present.map { text($0) } == ["x\n", "x\n"])
    }
  }
}

@Suite struct SecretOptionTests {
  private let spec = CommandSpec(
    name: "rewrap", summary: "", operands: [],
    options: SecretSources.options + SecretSources.newOptions, examples: [])

  private func sources(_ arguments: String...) throws(UsageError) -> SecretSources {
    let bytes = arguments.map { Array($0.utf8) }
    return try SecretSources(parsing: try ArgumentReader(bytes, for: spec))
  }

  @Test func everySourceCanBeNamed() throws {
    #expect(try sources() == SecretSources())
    #expect(SecretSources().present.isEmpty)
    #expect(
      try sources("--passphrase-file", "-", "--new-passphrase-command=pass show x")
        == SecretSources(
          present: [.passphrase(.descriptor(0))], newPassphrase: .command(Array("pass show x".utf8))
        ))
    #expect(
      try sources("--phrase-fd=0", "--new-phrase-file", "./-")
        == SecretSources(
          present: [.phrase(.descriptor(0))], newPhrase: .file(Array("./-".utf8))))
  }

  @Test func aCommandWithoutNewOptionsHasNoNewSources() throws {
    let plain = CommandSpec(
      name: "ls", summary: "", operands: [], options: SecretSources.options, examples: [])
    let option = Array("--passphrase-file=f".utf8)
    let arguments = try ArgumentReader([option], for: plain)
    #expect(
      try SecretSources(parsing: arguments)
        == SecretSources(present: [.passphrase(.file(Array("f".utf8)))]))
  }

  @Test func twoSourcesOfOneSecretExcludeEachOther() {
    #expect(throws: UsageError.conflictingOptions("passphrase-command", "passphrase-file")) {
      try sources("--passphrase-command", "c", "--passphrase-file", "f")
    }
    #expect(throws: UsageError.conflictingOptions("passphrase-file", "phrase-file")) {
      try sources("--passphrase-file", "f", "--phrase-file", "g")
    }
    #expect(throws: UsageError.conflictingOptions("new-phrase-fd", "new-phrase-file")) {
      try sources("--new-phrase-fd", "0", "--new-phrase-file", "f")
    }
  }

  @Test func aCommandForSeveralTakesThemInTheirOrder() throws {
    let ls = CommandSpec(
      name: "ls", summary: "", operands: [], options: SecretSources.severalOptions, examples: [])
    let line = [
      "--phrase-file", "f", "--passphrase-fd=0", "--passphrase-file=g", "--phrase-file", "-",
      "--passphrase-file", "f", "--passphrase-command", "c",
    ]
    let (f, g) = (SecretSource.file(Array("f".utf8)), SecretSource.file(Array("g".utf8)))
    #expect(
      try SecretSources(parsing: ArgumentReader(line.map { Array($0.utf8) }, for: ls)).present == [
        .phrase(f), .passphrase(.descriptor(0)), .passphrase(g), .phrase(.descriptor(0)),
        .passphrase(f), .passphrase(.command(Array("c".utf8))),
      ])
  }

  @Test(arguments: ["hunter2", "-1", "1", "2", "999999", "2147483648", "0x0", "٣"])
  func onlyAnOpenDescriptorIsTakenAndNoValueIsRepeated(value: String) {
    let expected = UsageError.invalidValue(
      option: "passphrase-fd", expected: "the number of a descriptor open to read")
    #expect(throws: expected) { try sources("--passphrase-fd", value) }
    #expect(!"\(expected)".contains(value) || value.count < 2)
  }
}

extension SecretSources.Present {
  static func passphrase(_ source: SecretSource) -> Self {
    .init(kind: .passphrase, source: source)
  }
  static func phrase(_ source: SecretSource) -> Self { .init(kind: .phrase, source: source) }
}
