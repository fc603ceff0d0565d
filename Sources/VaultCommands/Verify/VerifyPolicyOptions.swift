import Glibc
import VaultStore

/// The options of `verify` that ask for more than a whole vault. Options and a file together ask for the stricter of
/// both.
struct VerifyPolicyOptions {
  private static let file = OptionSpec.value(
    "policy", "FILE",
    help: "Also ask for what FILE says: flat TOML or JSON with min-iterations, max-file-size, "
      + "require-padding, signers, companions-unchanged.")
  private static let iterations = OptionSpec.value(
    "min-iterations", "N", help: "Every key slot must cost at least N iterations.")
  private static let fileSize = OptionSpec.value(
    "max-file-size", "BYTES", help: "No file may be larger; K, M, G are powers of 1024.")
  private static let padding = OptionSpec.flag(
    "require-padding", help: "Every sealed file must be padded.")
  private static let companions = OptionSpec.flag(
    "companions-unchanged",
    help: "README.md, .gitattributes, .gitignore and kit/ must be those the vault was made with.")

  static let options = [file, iterations, fileSize, padding, companions]

  /// The file that has to be read; nil where none is named.
  private let path: [UInt8]?
  private let given: VerifyPolicy

  /// Takes the options out of the arguments; reads no file.
  init(parsing arguments: ArgumentReader) throws(UsageError) {
    path = arguments.value(of: Self.file)
    var given = VerifyPolicy()
    if let value = arguments.value(of: Self.iterations) {
      guard let number = VerifyNumber.whole(value).flatMap({ UInt32(exactly: $0) }) else {
        throw .invalidValue(option: Self.iterations.name, expected: "a whole number")
      }
      given.minimumIterations = number
    }
    if let value = arguments.value(of: Self.fileSize) {
      guard let number = VerifyNumber.byteCount(value) else {
        throw .invalidValue(
          option: Self.fileSize.name, expected: "a number of bytes, such as 1000000, 500K or 100M")
      }
      given.maximumFileByteCount = number
    }
    given.requiresPadding = arguments.has(Self.padding)
    given.requiresCompanionsUnchanged = arguments.has(Self.companions)
    self.given = given
  }

  /// Reads the file, if there is one.
  /// - Throws: `store` where it cannot be read, `refused` where it is not understood.
  func read() throws(CommandError) -> VerifyPolicy {
    guard let path else { return given }
    let bytes = try Self.bytes(of: path)
    do {
      return given.joined(with: try PolicyFile(bytes).policy)
    } catch {
      throw .refused(error.text(in: path), .usage, hint: error.hint)
    }
  }

  private static func bytes(of path: [UInt8]) throws(CommandError) -> [UInt8] {
    let (folder, name) = Directory.split(path)
    do throws(SystemError) {
      if path.elementsEqual("-".utf8) { return try standardInput() }
      guard let name else { throw .notRegular(.folder) }
      return try Directory(path: folder).readWhole(name, limit: PolicyFile.maximumByteCount)
    } catch {
      throw .store(.system(error, path: path))
    }
  }
}

extension VerifyPolicyOptions {
  private static func standardInput() throws(SystemError) -> [UInt8] {
    let file = FileDescriptor(adopting: dup(STDIN_FILENO))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= PolicyFile.maximumByteCount {
      var free = buffer.mutableSpan
      let count = try file.read(into: &free)
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
    }
    throw .overLimit(byteCount: PolicyFile.maximumByteCount)
  }
}

extension VerifyPolicy {
  /// What both ask for.
  func joined(with other: VerifyPolicy) -> VerifyPolicy {
    var joined = self
    joined.minimumIterations = [minimumIterations, other.minimumIterations].compactMap(\.self).max()
    joined.maximumFileByteCount =
      [maximumFileByteCount, other.maximumFileByteCount].compactMap(\.self).min()
    joined.requiresPadding = requiresPadding || other.requiresPadding
    joined.requiresCompanionsUnchanged =
      requiresCompanionsUnchanged || other.requiresCompanionsUnchanged
    joined.signers += other.signers
    return joined
  }
}
