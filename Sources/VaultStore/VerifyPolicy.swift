package import VaultFormat

/// What an owner asks of a vault beyond being whole (spec §12). Each rule only adds findings.
package struct VerifyPolicy: Equatable, Sendable {
  /// The least PBKDF2 iterations of every slot; nil where the format's own minimum is enough.
  package var minimumIterations: UInt32?
  /// The most bytes of any file of the vault.
  package var maximumFileByteCount: UInt64?
  /// Whether every sealed file has to be padded as the format says (spec §6.2).
  package var requiresPadding = false
  /// The only signers that compartments may have; empty where any may sign.
  package var signers: [SignerKey] = []
  /// Whether the vault's own files (README.md, .gitattributes, .gitignore, kit/) have to be those it was made with.
  package var requiresCompanionsUnchanged = false

  /// Asks for nothing.
  package init() {}
}

// MARK: - Rules about one file

extension VerifyPolicy {
  /// About a sealed file that parses.
  func findings(of geometry: ChunkGeometry, at path: @autoclosure () -> [UInt8]) -> [Finding] {
    var findings: [Finding] = []
    if let finding = finding(ofByteCount: UInt64(geometry.fileByteCount), at: path()) {
      findings.append(finding)
    }
    let stream = UInt64(geometry.streamByteCount)
    if requiresPadding, stream < Limits.streamFloor || Padme.padded(stream) != stream {
      findings.append(
        Finding(
          .policyPadding, path(), "the policy asks for padding, and this note is not padded",
          expected: "a stream of \(Padme.padded(max(stream, Limits.streamFloor))) bytes",
          found: "\(stream) bytes"))
    }
    return findings
  }

  /// About a file of any kind.
  func finding(ofByteCount byteCount: UInt64, at path: @autoclosure () -> [UInt8]) -> Finding? {
    guard let most = maximumFileByteCount, byteCount > most else { return nil }
    return Finding(
      .policyFileSize, path(), "the file is larger than the policy allows",
      expected: "at most \(most) bytes", found: "\(byteCount) bytes")
  }
}
