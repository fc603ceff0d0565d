// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(), .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "vaulttool",
  products: [.executable(name: "vaulttool", targets: ["vaulttool"])],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CUtf8proc", providers: [.apt(["libutf8proc-dev"])]),
    .systemLibrary(name: "CSystem"),
    .target(name: "VaultCrypto", dependencies: ["COpenSSL", "CSystem"], swiftSettings: settings),
    .target(name: "VaultFormat", swiftSettings: settings),
    .target(
      name: "VaultSealing", dependencies: ["VaultCrypto", "VaultFormat", "CZstd", "CUtf8proc"],
      swiftSettings: settings),
    .target(
      name: "VaultStore", dependencies: ["VaultSealing", "VaultFormat", "VaultCrypto", "CSystem"],
      swiftSettings: settings),
    .target(
      name: "VaultCommands",
      dependencies: ["VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto", "CSystem"],
      swiftSettings: settings),
    .executableTarget(name: "vaulttool", dependencies: ["VaultCommands"], swiftSettings: settings),
    .target(
      name: "VaultTestSupport", path: "Tests/VaultTestSupport", swiftSettings: settings),
    .testTarget(
      name: "VaultCryptoTests", dependencies: ["COpenSSL", "VaultCrypto", "VaultTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "VaultFormatTests", dependencies: ["VaultFormat", "VaultTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "VaultSealingTests",
      dependencies: ["VaultSealing", "VaultFormat", "VaultCrypto", "VaultTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "VaultStoreTests",
      dependencies: [
        "VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto", "VaultTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VaultCommandsTests",
      dependencies: [
        "VaultCommands", "VaultStore", "VaultSealing", "VaultFormat", "VaultCrypto",
        "VaultTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "VaultToolTests", dependencies: ["VaultTestSupport"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
