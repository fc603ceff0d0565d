/// Who may import what (spec/decisions/0003-layers.md). A file may import what all entries say together that its path
/// begins with.
enum LayeringTable {
  static let imports: [(path: String, modules: [String])] = [
    ("Sources/VaultCrypto/", ["COpenSSL", "CSystem"]),
    ("Sources/VaultCrypto/SecretBytes.swift", ["Glibc"]),
    ("Sources/VaultFormat/", []),
    ("Sources/VaultSealing/", ["VaultCrypto", "VaultFormat"]),
    ("Sources/VaultSealing/Zstd", ["CZstd"]),
    ("Sources/VaultSealing/Unicode", ["CUtf8proc"]),
    (
      "Sources/VaultStore/", ["VaultSealing", "VaultFormat", "VaultCrypto", "Synchronization"]
    ),
    ("Sources/VaultStore/System/", ["Glibc", "CSystem"]),
    (
      "Sources/VaultCommands/",
      [
        "VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto", "CSystem", "Glibc",
        "Synchronization",
      ]
    ),
    ("Sources/VaultCommands/JSON", ["FoundationEssentials"]),
    ("Sources/vaulttool/", ["VaultCommands", "Glibc"]),
    (
      "Tests/",
      [
        "Testing", "VaultTestSupport", "Foundation", "FoundationEssentials", "Glibc",
        "Synchronization",
      ]
    ),
    ("Tests/VaultCryptoTests/", ["VaultCrypto", "COpenSSL"]),
    ("Tests/VaultFormatTests/", ["VaultFormat"]),
    ("Tests/VaultSealingTests/", ["VaultSealing", "VaultFormat", "VaultCrypto"]),
    (
      "Tests/VaultStoreTests/", ["VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto"]
    ),
    (
      "Tests/VaultCommandsTests/",
      ["VaultCommands", "VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto"]
    ),
    ("Tests/VaultTestSupport/", []),
    ("Tests/VaultToolTests/", []),
  ]

  /// Where memory is touched that Swift does not watch over: the beginnings of paths below `Sources/`.
  static let unsafePlaces = [
    "Sources/VaultCrypto/", "Sources/VaultSealing/Unicode", "Sources/VaultSealing/Zstd",
    "Sources/VaultStore/System/", "Sources/VaultCommands/ChildProgram.swift",
    "Sources/VaultCommands/Console.swift",
    "Sources/VaultCommands/Invocation.swift", "Sources/VaultCommands/ProcessHardening.swift",
    "Sources/VaultCommands/ProcessSurroundings.swift", "Sources/VaultCommands/PromptSignals.swift",
    "Sources/VaultCommands/SecretSource.swift", "Sources/VaultCommands/SignalHandling.swift",
    "Sources/VaultCommands/TerminalPrompt.swift",
  ]

  /// The modules that the file at `path` may import; nil where no target of the table has it.
  static func modules(for path: String) -> Set<String>? {
    let entries = imports.filter { path.hasPrefix($0.path) }
    guard entries.contains(where: { $0.path.count(where: { $0 == "/" }) == 2 }) else { return nil }
    return Set(entries.flatMap(\.modules))
  }
}
