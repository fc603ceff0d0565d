import Testing
import VaultFormat

@Suite struct IdentityTests {
  @Test(arguments: Codec.all)
  func decodingAndEncodingGivesTheSameBytes(codec: Codec) throws {
    #expect(try codec.recode(codec.sample) == codec.sample)
  }

  @Test(arguments: Codec.files)
  func everyTruncationOfAFileIsRefusedAsTruncated(codec: Codec) {
    #expect(throws: FormatError.emptyFile) { try codec.recode([]) }
    for count in 1..<codec.sample.count {
      let error = #expect(throws: FormatError.self) {
        try codec.recode(Array(codec.sample.prefix(count)))
      }
      guard case .truncated = error else {
        Issue.record("\(count) bytes: \(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: Codec.arrays)
  func everyTruncationOfAnArrayIsRefusedAsTruncated(codec: Codec) {
    for count in 5..<codec.sample.count {
      let error = #expect(throws: FormatError.self) {
        try codec.recode(Array(codec.sample.prefix(count)))
      }
      guard case .truncated = error else {
        Issue.record("\(count) bytes: \(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: Codec.parts)
  func everyTruncationOfAPartIsRefused(codec: Codec) {
    for count in codec.sample.indices {
      #expect(throws: FormatError.self, "\(count) bytes") {
        try codec.recode(Array(codec.sample.prefix(count)))
      }
    }
  }

  @Test(arguments: Codec.files + Codec.arrays)
  func aByteAfterTheEndIsRefused(codec: Codec) {
    #expect(throws: FormatError.trailingBytes(offset: codec.sample.count)) {
      try codec.recode(codec.sample + [0])
    }
  }

  /// No two inputs decode to one value: what is accepted is written back as it was.
  @Test(arguments: Codec.all)
  func everyFlippedBitIsRefusedOrKept(codec: Codec) {
    var refused = 0
    var kept = 0
    for index in codec.sample.indices {
      for bit in 0..<8 {
        var bytes = codec.sample
        bytes[index] ^= 1 << bit
        do throws(FormatError) {
          let recoded = try codec.recode(bytes)
          if recoded == bytes { kept += 1 } else { Issue.record("bit \(bit) of byte \(index)") }
        } catch {
          refused += 1
        }
      }
    }
    // Bits of heads cannot be kept, bits of salts and digests cannot be noticed here.
    #expect(refused > 0 && kept > 0)
  }

  @Test(arguments: Codec.all)
  func randomChangesAreRefusedOrKept(codec: Codec) {
    var random = SplitMix(seed: 0x5EED)
    for round in 0..<1_000 {
      var bytes = codec.sample
      for _ in 0...(random.next() % 3) {
        let index = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes.swapAt(index, Int(random.next() % UInt64(bytes.count)))
        }
      }
      if let recoded = try? codec.recode(bytes) {  // a refusal is an answer
        #expect(recoded == bytes, "round \(round) of seed 0x5EED")
      }
    }
  }
}

/// A small seeded generator: the same numbers on every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
