import COpenSSL
import Glibc

/// Secret bytes in memory of their own, wiped when the value's life ends. Cannot be copied or printed.
///
/// The pages lie between two guard pages, end at the rear one, are kept out of swap where the system allows
/// it, out of core dumps, and empty in a forked child. Moving the value moves a pointer, never the bytes.
/// Creating and dropping one costs about 12 µs: keep one per worker for keys that change often.
@safe package struct SecretBytes: ~Copyable {
  private let mapping: UnsafeMutableRawBufferPointer
  private let start: UnsafeMutablePointer<UInt8>
  /// The number of bytes.
  package private(set) var count: Int
  /// Whether the pages are locked in memory. A system that refuses (`RLIMIT_MEMLOCK`) is no error.
  package let isLocked: Bool

  /// Makes `count` zero bytes; `count` may be 0 and is below 2 GiB.
  /// - Throws: `memoryUnavailable`.
  package init(count: Int) throws(CryptoError) {
    precondition((0...Int(CInt.max)).contains(count), "a secret has 0 bytes up to 2 GiB")
    let page = Int(sysconf(CInt(_SC_PAGESIZE)))
    let inner = max(page, (count + page - 1) / page * page)
    let outer = inner + 2 * page
    let base = unsafe mmap(nil, outer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let base = unsafe base, unsafe base != MAP_FAILED else {
      throw .memoryUnavailable(code: errno)
    }
    let usable = unsafe base + page
    guard unsafe mprotect(usable, inner, PROT_READ | PROT_WRITE) == 0 else {
      let code = errno
      unsafe munmap(base, outer)
      throw .memoryUnavailable(code: code)
    }
    for advice in [MADV_DONTDUMP, MADV_WIPEONFORK] { unsafe _ = madvise(usable, inner, advice) }
    let locked = unsafe mlock(usable, inner) == 0
    let first = unsafe usable + (inner - count)
    unsafe mapping = UnsafeMutableRawBufferPointer(start: base, count: outer)
    unsafe start = first.bindMemory(to: UInt8.self, capacity: count)
    self.count = count
    isLocked = locked
  }

  /// Makes a copy of `bytes`; the caller still owns, and wipes, the original.
  /// - Throws: `memoryUnavailable`.
  package init(copying bytes: Span<UInt8>) throws(CryptoError) {
    try self.init(count: bytes.count)
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      unsafe start.update(from: base, count: source.count)
    }
  }

  /// Lends the bytes for reading.
  package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeStart: start, count: count))
  }

  /// Lends the bytes for writing, as when a key is derived or a passphrase is read straight into them.
  package mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var bytes = unsafe MutableSpan(_unsafeStart: start, count: count)
    return try body(&bytes)
  }

  /// Keeps the first `newCount` bytes and wipes the rest, for input whose length shows only while it is read.
  package mutating func shorten(to newCount: Int) {
    precondition((0...count).contains(newCount), "a secret can only become shorter")
    unsafe OPENSSL_cleanse(start + newCount, count - newCount)
    count = newCount
  }

  /// Overwrites every byte with zero and keeps the count.
  package mutating func wipe() {
    unsafe OPENSSL_cleanse(start, count)
  }

  deinit {
    unsafe OPENSSL_cleanse(start, count)
    unsafe munmap(mapping.baseAddress, mapping.count)
  }
}

/// Safe to hand to another thread: the memory has one owner, and writing needs exclusive access to it.
extension SecretBytes: @unchecked Sendable {}
