package import VaultStore

/// What the history of a git repository still holds of a vault that lies in it.
package enum GitHistory {
  /// The most that git may answer: some 100,000 slots and commits.
  private static let answerByteCount = 16_777_216
  private static let slotNameByteCount = 64 + ".slot".utf8.count

  /// Counts the slot files that any ref still reaches and that do not lie in `index/` now: with its secret each opens
  /// whatever the vault it stood in held.
  ///
  /// - Returns: the count, or why it is not known; that is never a reason for a command to fail.
  package static func earlierSlots(of vault: VaultFolder) -> Result<Int, Git.Refusal> {
    do {
      guard GitSurroundings.contains(vault) else { return .failure(.noRepository) }
      let answer = try Git.run(
        [
          "rev-list", "--all", "--objects", "--full-history", "--missing=allow-any", "--",
          ":(glob)index/*.slot", ":(glob)spare/*.slot",
        ], in: vault.path, limit: answerByteCount)
      let present = try names(in: vault)
      return .success(slotNames(in: answer).subtracting(present).count)
    } catch {
      return .failure(error)
    }
  }

  /// The names of slot files in lines such as `<object id> vault/index/<64 hex>.slot`.
  static func slotNames(in answer: [UInt8]) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for line in answer.split(separator: 0x0A) {
      let name = line.suffix(slotNameByteCount)
      guard name.count == slotNameByteCount, name.count < line.count,
        line[name.startIndex - 1] == UInt8(ascii: "/"), name.suffix(5).elementsEqual(".slot".utf8),
        name.prefix(64).allSatisfy(isHexDigit)
      else { continue }
      names.insert(Array(name))
    }
    return names
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func names(in vault: VaultFolder) throws(Git.Refusal) -> Set<[UInt8]> {
    do {
      guard let index = try vault.subfolder(Layout.index) else { return [] }
      return Set(try index.entries().map(\.name))
    } catch {
      let cause =
        if case StoreError.system(let cause, _) = error { cause } else { error as? SystemError }
      throw .system(cause?.code ?? .inputOutput)
    }
  }
}
