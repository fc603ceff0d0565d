import Testing

@testable import VaultSealing

@Suite struct LabelTests {
  @Test func everyLabelOfTheSpecIsThereOnce() {
    let names = [
      "pbkdf2", "slot locator", "slot key", "slot", "root", "signing", "compartment", "drop box",
      "header key", "content key", "file commitment", "header", "chunk", "segment key",
      "segment commitment", "segment", "segment signature", "mask", "hand-over",
      "former key", "local key",
      "local commitment", "local name",
    ]
    #expect(Label.allCases.map(\.rawValue) == names)
    #expect(Set(names).count == names.count)
  }

  @Test func noLabelIsThePrefixOfAnother() {
    for one in Label.allCases {
      for other in Label.allCases where other != one {
        #expect(!other.bytes.starts(with: one.bytes))
      }
    }
  }

  @Test func labelsEndInTheirOnlyZeroByteAndHMACKeysHaveNone() {
    for label in Label.allCases {
      #expect(label.bytes.firstIndex(of: 0) == label.bytes.count - 1)
    }
    #expect(Label.slotKey.bytes == Array("vaulttool/1 slot key".utf8) + [0])
    #expect(Label.passphraseHMACKey == Array("vaulttool/1 passphrase".utf8))
    #expect(Label.phraseHMACKey == Array("vaulttool/1 phrase".utf8))
  }
}
