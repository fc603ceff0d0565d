import Foundation
import Testing
import VaultCrypto

@Suite struct SecretBytesTests {
  @Test(arguments: [0, 1, 32, 4095, 4096, 4097, 10_000]) func aCopyHoldsTheBytes(
    count: Int
  ) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let secret = try SecretBytes(copying: bytes.span)
    let found = (count: secret.count, bytes: copy(secret))
    #expect(found.count == count)
    #expect(found.bytes == bytes)
  }

  @Test func newBytesAreZero() throws {
    #expect(copy(try SecretBytes(count: 33)) == [UInt8](repeating: 0, count: 33))
  }

  @Test func whatIsWrittenIsRead() throws {
    var secret = try SecretBytes(count: 3)
    let sum = secret.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(index + 1) }
      return bytes.count
    }
    #expect(sum == 3)
    #expect(copy(secret) == [1, 2, 3])
  }

  @Test func wipingLeavesZeros() throws {
    let bytes = [UInt8](repeating: 0xaa, count: 100)
    var secret = try SecretBytes(copying: bytes.span)
    secret.wipe()
    #expect(copy(secret) == [UInt8](repeating: 0, count: 100))
  }

  @Test func shorteningWipesWhatIsCutOff() throws {
    let bytes = [UInt8](1...10)
    var secret = try SecretBytes(copying: bytes.span)
    let start = try unsafe address(of: secret)
    secret.shorten(to: 4)
    let found = (count: secret.count, bytes: copy(secret))
    #expect(found.count == 4)
    #expect(found.bytes == [1, 2, 3, 4])
    #expect((4..<10).allSatisfy { unsafe start[$0] == 0 })
    secret.shorten(to: 0)
    #expect((0..<10).allSatisfy { unsafe start[$0] == 0 })
    withExtendedLifetime(secret) {}
  }

  @Test func theMemoryStaysOutOfDumpsAndForkedChildren() throws {
    let secret = try SecretBytes(count: 32)
    let flags = try #require(memoryFlags(at: UInt(bitPattern: try unsafe address(of: secret))))
    #expect(flags.contains("dd"), "MADV_DONTDUMP")
    #expect(flags.contains("wf"), "MADV_WIPEONFORK")
    let isLocked = secret.isLocked
    #expect(flags.contains("lo") == isLocked, "mlock")
  }

  @Test func readingPastTheEndEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      signal(SIGSEGV, SIG_DFL)
      let secret = try SecretBytes(count: 33)
      let start = try unsafe address(of: secret)
      guard unsafe start[32] == 0 else { return }
      unsafe print(start[33])
    }
  }

  @Test func readingBeforeTheStartEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      signal(SIGSEGV, SIG_DFL)
      let secret = try SecretBytes(count: Int(sysconf(CInt(_SC_PAGESIZE))))
      let start = try unsafe address(of: secret)
      guard unsafe start[0] == 0 else { return }
      unsafe print(start[-1])
    }
  }

  @Test func theMemoryIsGoneWithTheValue() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      signal(SIGSEGV, SIG_DFL)
      let secret = try SecretBytes(count: 33)
      let start = try unsafe address(of: secret)
      guard unsafe start[0] == 0 else { return }
      drop(secret)
      unsafe print(start[0])
    }
  }
}

/// Ends the value's life here.
private func drop(_ secret: consuming SecretBytes) {}

/// Where the bytes lie; reading there is what the type exists to prevent.
private func address(of secret: borrowing SecretBytes) throws -> UnsafePointer<UInt8> {
  let start = unsafe secret.withBytes { bytes in
    unsafe bytes.withUnsafeBufferPointer { $0.baseAddress }
  }
  return unsafe try #require(start)
}

/// The kernel's flags for the mapping that holds an address.
private func memoryFlags(at address: UInt) throws -> Set<Substring>? {
  let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
  let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  var isInside = false
  for line in text.split(separator: "\n") {
    let bounds = line.prefix { $0 != " " }.split(separator: "-").map { UInt($0, radix: 16) }
    if bounds.count == 2, let low = bounds[0], let high = bounds[1] {
      isInside = (low..<high).contains(address)
    } else if isInside, line.hasPrefix("VmFlags:") {
      return Set(line.split(separator: " ").dropFirst())
    }
  }
  return nil
}
