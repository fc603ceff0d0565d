import Glibc
import Testing
import VaultCommands
import VaultStore

@Suite struct ConsoleTests {
  private func errors(of console: Console) -> String {
    String(decoding: console.recorded.errors, as: UTF8.self)
  }

  @Test func dataGoesToOneStreamAndTalkToTheOther() throws {
    let console = Console.recording()
    try console.write([0xFF, 0x00])
    try console.writeLine("line")
    console.error("e")
    console.warn("w")
    console.hint("h")
    console.note("n")
    try console.flush()
    #expect(console.recorded.output == [0xFF, 0x00] + Array("line\n".utf8))
    #expect(
      errors(of: console) == """
        vaulttool: error: e
        vaulttool: warning: w
        vaulttool: hint: h
        vaulttool: n

        """)
  }

  @Test func colourIsUsedOnlyWhereItIsWanted() {
    let console = Console.recording(.init(errorIsTerminal: true, usesColour: true))
    console.error("e")
    console.note("n")
    #expect(errors(of: console) == "vaulttool: \u{1B}[1;31merror:\u{1B}[0m e\nvaulttool: n\n")
  }

  @Test func aStatusLineIsWipedBeforeAnythingElseIsSaid() {
    let console = Console.recording(.init(errorIsTerminal: true, canRedraw: true))
    console.showStatusLine("10%")
    console.showStatusLine("20%")
    console.warn("w")
    console.showStatusLine("")
    #expect(errors(of: console) == "10%\r\u{1B}[K20%\r\u{1B}[Kvaulttool: warning: w\n")
  }

  @Test func aStatusLineIsShownOnTerminalsOnly() {
    let file = Console.recording()
    file.showStatusLine("10%")
    let plain = Console.recording(.init(errorIsTerminal: true, canRedraw: false))
    plain.showStatusLine("10%")
    #expect(file.recorded.errors.isEmpty && plain.recorded.errors.isEmpty)
  }

  @Test func aFullDeviceIsAnErrorWithStatusOne() throws {
    let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let console = Console(output: full, error: full, surroundings: .init())
    try console.writeLine("fits the buffer")
    #expect(throws: OutputError.failed(.noSpace)) { try console.flush() }
    let large = [UInt8](repeating: 1, count: 200_000)
    #expect(throws: OutputError.failed(.noSpace)) { try console.write(large) }
    #expect(OutputError.failed(.noSpace).exitCode == .failed)
    #expect("\(OutputError.failed(.noSpace))" == "cannot write the output: No space left on device")
  }

  @Test func aReaderThatWentAwayIsTold() async {
    await #expect(processExitsWith: .exitCode(141)) {
      ProcessHardening.apply()
      var ends: [CInt] = [-1, -1]
      unsafe pipe(&ends)
      close(ends[0])
      let console = Console(output: ends[1], error: STDERR_FILENO, surroundings: .init())
      do throws(OutputError) {
        try console.writeLine("nobody reads this")
        try console.flush()
      } catch {
        exit(error.exitCode.status)
      }
    }
  }

  @Test func everyByteArrivesThroughASlowPipe() throws {
    var ends: [CInt] = [-1, -1]
    unsafe pipe(&ends)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    let flags = fcntl(writeEnd, F_GETFL)
    _ = fcntl(writeEnd, F_SETFL, flags | O_NONBLOCK)
    let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let reader = try BackgroundTask { () -> [UInt8] in readToEnd(of: readEnd) }
    let console = Console(output: writeEnd, error: STDERR_FILENO, surroundings: .init())
    try console.write(Array(sent[..<10]))
    try console.write(Array(sent[10...]))
    try console.flush()
    close(writeEnd)
    #expect(reader.wait() == sent)
  }
}

@Suite struct ProgressTests {
  private func line(_ done: Int, _ total: Int?, _ seconds: Double, width: Int = 100) -> String {
    ProgressLine(label: "packing", unit: .bytes, done: done, total: total, seconds: seconds)
      .text(width: width)
  }

  @Test func shareAmountRateAndTimeLeftAreShown() {
    #expect(
      line(1_048_576, 4_194_304, 2)
        == "packing  25%  [=====               ]  1.0 MiB of 4.0 MiB  512.0 KiB/s  0:06 left")
    #expect(line(2_048, nil, 1) == "packing  2.0 KiB  2.0 KiB/s")
    #expect(
      line(4_096, 4_096, 0) == "packing  100%  [====================]  4.0 KiB of 4.0 KiB")
    #expect(line(1, 7_200, 1).hasSuffix("1 byte/s  1:59:59 left"))
    #expect(line(0, 10, 1).hasSuffix("0 bytes of 10 bytes  0 bytes/s"))
    let items = ProgressLine(label: "checking", unit: .items, done: 5, total: 10, seconds: 1)
    #expect(items.text(width: 80).hasSuffix("5 of 10  5/s  0:01 left"))
  }

  @Test func moreThanExpectedOrALongTimeDoesNoHarm() {
    #expect(line(20, 10, 1).contains("100%  [====================]"))
    #expect(line(1, .max, 1e9).hasSuffix("days left"))
  }

  @Test(arguments: [0, 1, 10, 40, 80]) func theLineStaysWithinTheTerminal(width: Int) {
    #expect(line(1_048_576, 4_194_304, 2, width: width).count < max(width, 1))
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"),
    (1_048_575, "1.0 MiB"), (Int.max, "8388608.0 TiB"),
  ])
  func byteCountsAreReadable(count: Int, expected: String) {
    #expect(byteCountText(count) == expected)
  }

  @Test func nothingIsShownOffATerminal() {
    let console = Console.recording()
    let progress = Progress(on: console, label: "packing", unit: .items)
    progress.update(done: 1, total: 2)
    progress.advance(by: 1)
    progress.finish()
    #expect(console.recorded.errors.isEmpty)
  }

  @Test func redrawingIsBoundedAndTheLineIsWipedAtTheEnd() {
    let console = Console.recording(
      .init(errorIsTerminal: true, canRedraw: true, fixedWidth: 80))
    let progress = Progress(on: console, label: "packing", unit: .items)
    let clock = ContinuousClock()
    let start = clock.now
    progress.update(done: 0, total: 1_000_000)
    while start.duration(to: clock.now) < .milliseconds(350) { progress.advance(by: 1) }
    progress.finish()
    let seconds = start.duration(to: clock.now) / .seconds(1)
    let text = String(decoding: console.recorded.errors, as: UTF8.self)
    let drawn = text.split(separator: "packing").count
    #expect(drawn >= 1 && Double(drawn) <= seconds * 10 + 1)
    #expect(text.hasSuffix("\r\u{1B}[K"))
  }
}

/// Everything that comes out of a descriptor, which is closed then.
private func readToEnd(of descriptor: CInt) -> [UInt8] {
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = unsafe read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return bytes }
    bytes += buffer[..<count]
  }
}
