import CSystem
import Glibc
package import VaultCrypto
import VaultStore

/// Where a secret comes from, other than the terminal.
package enum SecretSource: Hashable, Sendable {
  /// A file, pipe or descriptor path.
  case file([UInt8])
  /// A descriptor that is already open; 0 also stands for the file `-`.
  case descriptor(CInt)
  /// The output of `/bin/sh -c` with this text.
  case command([UInt8])

  /// The most that is read, far more than any passphrase or phrase may have.
  package static let maximumByteCount = 16_384

  /// Reads to the end, whatever size the system reports, straight into memory that is wiped. The
  /// bytes are as they came, a final line end included.
  ///
  /// - Throws: `nothingReceived` for nothing or a lone line end, `tooLong`, `unreadable`,
  ///   `sourceIsTerminal`, `commandFailed`, `commandKilled`, `interrupted`, `crypto`.
  package func read(as kind: SecretKind) throws(SecretError) -> SecretBytes {
    let secret = try readWhole(as: kind)
    guard secret.withBytes({ !isBlank($0) }) else { throw .nothingReceived(kind) }
    return secret
  }

  private func readWhole(as kind: SecretKind) throws(SecretError) -> SecretBytes {
    switch self {
    case .file(let path):
      // Not blocking, so that waiting for a pipe's writer can be interrupted.
      let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
      let descriptor = unsafe open((path + [0]).map { CChar(bitPattern: $0) }, flags)
      guard descriptor >= 0 else { throw unreadable(errno) }
      defer { close(descriptor) }
      return try readToEnd(of: descriptor, as: kind)
    case .descriptor(let descriptor):
      return try readToEnd(of: descriptor, as: kind)
    case .command(let command):
      return try output(of: command, as: kind)
    }
  }

  private func readToEnd(of descriptor: CInt, as kind: SecretKind) throws(SecretError)
    -> SecretBytes
  {
    guard isatty(descriptor) == 0 else { throw .sourceIsTerminal(self) }
    var secret = try SecretBytes.empty(count: Self.maximumByteCount + 1)
    var filled = 0
    while filled < secret.count {
      Wakeup.waitForInput(descriptor)
      if let signal = Interruption.signal { throw .interrupted(signal: signal) }
      let count = secret.read(from: descriptor, at: filled)
      guard count != 0 else { break }
      guard count > 0 else {
        guard [EAGAIN, EINTR].contains(-count) else { throw unreadable(-count) }
        continue
      }
      filled += Int(count)
    }
    guard filled <= Self.maximumByteCount else {
      throw .tooLong(kind, limit: Self.maximumByteCount)
    }
    secret.shorten(to: filled)
    return secret
  }

  private func unreadable(_ code: CInt) -> SecretError {
    .unreadable(self, ErrorCode(rawValue: code))
  }
}

extension SecretSource {
  private func output(of command: [UInt8], as kind: SecretKind) throws(SecretError) -> SecretBytes {
    var ends: [CInt] = [-1, -1]
    let made = unsafe vt_pipe(&ends)
    guard made == 0 else { throw unreadable(CInt(-made)) }
    let child = unsafe vt_spawn_shell(command + [0], ends[1])
    close(ends[1])
    guard child > 0 else {
      close(ends[0])
      throw unreadable(CInt(-child))
    }
    let secret: SecretBytes
    do throws(SecretError) {
      secret = try readToEnd(of: ends[0], as: kind)
    } catch {
      close(ends[0])
      kill(pid_t(child), SIGTERM)
      _ = vt_wait_for(CInt(child))
      throw error
    }
    close(ends[0])
    let status = vt_wait_for(CInt(child))
    guard status >= 0 else { throw unreadable(CInt(-status)) }
    guard status < 256 else { throw .commandKilled(signal: status - 256) }
    guard status == 0 else { throw .commandFailed(status: status) }
    return secret
  }
}

extension SecretSource: CustomStringConvertible {
  /// Names the source; of a command nothing is repeated, as somebody may have put a secret there.
  package var description: String {
    switch self {
    case .file(let path): DisplayName(path).description
    case .descriptor(0): "standard input"
    case .descriptor(let number): "descriptor \(number)"
    case .command: "the output of the passphrase command"
    }
  }
}

/// Whether nothing is left without one final line end.
func isBlank(_ bytes: Span<UInt8>) -> Bool {
  switch bytes.count {
  case 0: true
  case 1: bytes[0] == 0x0A
  case 2: bytes[0] == 0x0D && bytes[1] == 0x0A
  default: false
  }
}

extension SecretBytes {
  /// Zero bytes to be filled.
  static func empty(count: Int) throws(SecretError) -> SecretBytes {
    do throws(CryptoError) {
      return try SecretBytes(count: count)
    } catch {
      throw .crypto(error)
    }
  }

  /// A copy of some of the bytes of another secret.
  static func copy(of bytes: Span<UInt8>) throws(SecretError) -> SecretBytes {
    do throws(CryptoError) {
      return try SecretBytes(copying: bytes)
    } catch {
      throw .crypto(error)
    }
  }

  /// One `read` into the bytes from `offset` on: their number, 0 at the end, or minus the error
  /// number.
  mutating func read(from descriptor: CInt, at offset: Int) -> CInt {
    withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
        let count = unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        return count < 0 ? -errno : CInt(count)
      }
    }
  }
}
