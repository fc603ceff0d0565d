import Glibc
import VaultTestSupport

/// What a system call refused in a test's own preparation.
struct DiskError: Error {
  let call: String
  let path: Name
  let code: Int32
}

/// The file system as tests need it, with names as bytes.
enum Disk {
  static func write(_ content: [UInt8], to path: Name, mode: mode_t = 0o644) throws {
    let file = unsafe open(path.cString, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    try check("open", path, file)
    defer { close(file) }
    var written = 0
    while written < content.count {
      let count = unsafe content.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        return unsafe Glibc.write(file, rest.baseAddress, rest.count)
      }
      try check("write", path, Int32(clamping: count))
      written += count
    }
  }

  static func write(_ text: String, to path: Name, mode: mode_t = 0o644) throws {
    try write(Array(text.utf8), to: path, mode: mode)
  }

  static func read(_ path: Name) throws -> [UInt8] {
    let file = unsafe open(path.cString, O_RDONLY | O_CLOEXEC)
    try check("open", path, file)
    defer { close(file) }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(file, &block, block.count)
      try check("read", path, Int32(clamping: count))
      if count == 0 { return content }
      content += block[..<count]
    }
  }

  static func makeFolder(_ path: Name, mode: mode_t = 0o755) throws {
    try check("mkdir", path, unsafe mkdir(path.cString, mode))
  }

  static func makeLink(_ path: Name, to target: Name) throws {
    try check("symlink", path, unsafe symlink(target.cString, path.cString))
  }

  static func setMode(_ mode: mode_t, of path: Name) throws {
    try check("chmod", path, unsafe chmod(path.cString, mode))
  }

  /// Sets the modified time, of a link itself where it is one.
  static func setTime(_ seconds: Int, _ nanoseconds: Int = 0, of path: Name) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    let result = unsafe utimensat(AT_FDCWD, path.cString, [time, time], AT_SYMLINK_NOFOLLOW)
    try check("utimensat", path, result)
  }

  static func move(_ path: Name, to target: Name) throws {
    try check("rename", path, unsafe rename(path.cString, target.cString))
  }

  static func remove(_ path: Name) throws {
    try check("remove", path, unsafe Glibc.remove(path.cString))
  }

  static func exists(_ path: Name) -> Bool {
    var status = stat()
    return unsafe lstat(path.cString, &status) == 0
  }

  static func status(_ path: Name) throws -> stat {
    var status = stat()
    try check("lstat", path, unsafe lstat(path.cString, &status))
    return status
  }

  /// The target of a symbolic link.
  static func target(of path: Name) throws -> Name {
    var characters = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink(path.cString, &characters, characters.count)
    try check("readlink", path, Int32(clamping: count))
    return Name(bytes: characters[..<count].map { UInt8(bitPattern: $0) })
  }

  /// The names in a folder, bytewise sorted, without `.` and `..`.
  static func names(in path: Name) throws -> [Name] {
    guard let stream = unsafe opendir(path.cString) else {
      throw DiskError(call: "opendir", path: path, code: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [Name] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { characters in
        unsafe Name(bytes: Array(characters.prefix { $0 != 0 }))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Copies a file or a folder with everything there is to copy.
  static func copy(_ path: Name, to target: Name) throws {
    try must(["/bin/cp", "-a", "--", path, target])
  }

  static func removeAll(_ path: Name) throws { try must(["/bin/rm", "-rf", "--", path]) }

  /// Runs a program that has to end with status 0.
  @discardableResult static func must(
    _ words: [Name], environment: [String: String] = [:], in folder: Name = "/"
  ) throws -> Outcome {
    let outcome = try Tool.program(words, environment: environment, in: folder)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    return outcome
  }

  /// A program that the preparation of a test needs did not do its work.
  struct Failed: Error {
    let words: [Name]
    let outcome: Outcome
  }

  private static func check(_ call: String, _ path: Name, _ result: Int32) throws {
    guard result >= 0 else { throw DiskError(call: call, path: path, code: errno) }
  }
}
