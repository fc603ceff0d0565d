/// The permission bits that this process takes from every file it makes (umask).
package enum FileModeMask {
  /// Reads the mask where the kernel shows it: asking for it with `umask` would change it for all threads for a moment.
  ///
  /// Where the kernel shows none, the strictest: files for their owner alone.
  package static func current() -> UInt32 {
    let label = Array("Umask:".utf8)
    let newline = UInt8(ascii: "\n")
    // Any failure has the same answer as a missing line.
    let status = try? Directory(path: Array("/proc/self".utf8))
      .readWhole(Array("status".utf8), limit: 1 << 16)
    let line = status?.split(separator: newline).first { $0.starts(with: label) }
    let digits = line?.dropFirst(label.count).filter { $0 != 0x09 && $0 != 0x20 } ?? []
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0o077
  }
}
