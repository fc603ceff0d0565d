internal import CSystem
package import VaultCrypto

/// Keys that the kernel keeps for a user's processes, each until its time-out: never on a disk, gone after a restart.
///
/// A process takes part by linking the user's ring into its own, which ends with it; a program that it starts has to do
/// the same anew. Only a process of the same user can.
package enum KeyRing {
  /// Number and name of a key.
  package struct Key: Hashable, Sendable {
    package let number: Int32
    package let name: [UInt8]
  }

  /// The most keys that are looked at.
  private static let mostKeys = 4_096
  private static let describedByteCount = 512

  /// Keeps a secret under a name, in place of what had that name.
  /// - Parameter seconds: until the kernel forgets it; `renew` counts anew.
  /// - Throws: `failed`: `isUnavailable` tells whether there is no ring for this process at all.
  package static func add(
    _ secret: borrowing SecretBytes, as name: [UInt8], seconds: UInt32
  ) throws(SystemError) {
    try possess()
    let text = cString(name)
    _ = try secret.withBytes { bytes throws(SystemError) in
      try unsafe bytes.withUnsafeBufferPointer { buffer throws(SystemError) in
        try Syscalls.call("add_key") {
          unsafe vt_key_add(text, buffer.baseAddress, buffer.count, seconds)
        }
      }
    }
  }

  /// The key of a name, nil where there is none or its time is over.
  package static func find(_ name: [UInt8]) throws(SystemError) -> Key? {
    try possess()
    let text = cString(name)
    do {
      let number = try Syscalls.call("keyctl") { unsafe vt_key_find(text) }
      return Key(number: Int32(number), name: name)
    } catch {
      if error.isAboutGoneKey { return nil }
      throw error
    }
  }

  /// What a key keeps; nil where its time is over, or it has more than `limit` bytes.
  /// - Throws: `failed`; `failed` with `outOfMemory` where there is no memory for a secret.
  package static func read(_ key: Key, limit: Int) throws(SystemError) -> SecretBytes? {
    var secret: SecretBytes
    do { secret = try SecretBytes(count: limit) } catch {
      throw SystemError(call: "mmap", code: .outOfMemory)
    }
    let count: Int
    do {
      count = try secret.withMutableBytes { bytes throws(SystemError) in
        try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
          try Syscalls.call("keyctl") {
            unsafe vt_key_read(key.number, buffer.baseAddress, buffer.count)
          }
        }
      }
    } catch {
      if error.isAboutGoneKey { return nil }
      throw error
    }
    guard count <= limit else { return nil }
    secret.shorten(to: count)
    return secret
  }

  /// Lets a key's time-out begin anew.
  package static func renew(_ key: Key, seconds: UInt32) throws(SystemError) {
    try Syscalls.call("keyctl") { vt_key_renew(key.number, seconds) }
  }

  /// Wipes a key. One that is gone already is no error.
  package static func remove(_ key: Key) throws(SystemError) {
    do {
      try Syscalls.call("keyctl") { vt_key_remove(key.number) }
    } catch {
      if !error.isAboutGoneKey { throw error }
    }
  }

  /// The keys whose names begin with some bytes, ascending by name.
  package static func keys(beginningWith prefix: [UInt8]) throws(SystemError) -> [Key] {
    try possess()
    var numbers = [Int32](repeating: 0, count: mostKeys)
    let capacity = numbers.count
    let byteCount = try Syscalls.call("keyctl") { unsafe vt_key_list(&numbers, capacity) }
    var keys: [Key] = []
    for number in numbers.prefix(byteCount / 4) {
      var text = [UInt8](repeating: 0, count: describedByteCount)
      let count = unsafe vt_key_describe(number, &text, describedByteCount)
      // One that may not be looked at, or whose time is over, is none of ours.
      guard count > 1, count <= describedByteCount else { continue }
      let parts = text[..<(count - 1)].split(
        separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count == 5, parts[0].elementsEqual("user".utf8), parts[4].starts(with: prefix)
      else { continue }
      keys.append(Key(number: number, name: Array(parts[4])))
    }
    return keys.sorted { Syscalls.precedes($0.name, $1.name) }
  }

  /// The seconds until a key's time is over, rounded down to what `/proc/keys` tells: whole minutes above one minute.
  /// Nil where it does not tell.
  package static func remainingSeconds(of key: Key) -> UInt32? {
    // A system that hides the file only makes `status` less exact.
    guard let folder = try? Directory(path: Array("/proc".utf8)),
      let listing = try? folder.readWhole(Array("keys".utf8), limit: 1 << 22)
    else { return nil }
    for line in listing.split(separator: 0x0A) {
      let fields = line.split(separator: 0x20)
      guard fields.count > 3,
        UInt32(String(decoding: fields[0], as: UTF8.self), radix: 16)
          == UInt32(bitPattern: key.number)
      else { continue }
      return seconds(fields[3])
    }
    return nil
  }

  /// A time such as `45s`, `7m` or `2h`.
  static func seconds(_ text: ArraySlice<UInt8>) -> UInt32? {
    let units: [UInt8: UInt32] = [
      UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3_600,
      UInt8(ascii: "d"): 86_400, UInt8(ascii: "w"): 604_800,
    ]
    guard let last = text.last, let unit = units[last],
      let number = UInt32(String(decoding: text.dropLast(), as: UTF8.self))
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : seconds
  }

  private static func possess() throws(SystemError) {
    try Syscalls.call("keyctl") { vt_key_possess() }
  }

  private static func cString(_ name: [UInt8]) -> [CChar] {
    precondition(!name.contains(0), "the name of a key is a C string")
    return (name + [0]).map { CChar(bitPattern: $0) }
  }
}

extension SystemError {
  /// Whether a key is not there, or no longer.
  fileprivate var isAboutGoneKey: Bool {
    code.map { [.noSuchKey, .expiredKey, .revokedKey].contains($0) } ?? false
  }

  /// Whether the system has no key ring for this process, such as in a container that forbids it.
  package var isKeyRingMissing: Bool {
    code.map { [.notImplemented, .notPermitted, .accessDenied, .noKeyRing].contains($0) } ?? false
  }
}
