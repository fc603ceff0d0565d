/// The folder that `unpack` writes into. Everything below it is reached component by component, without following
/// links.
struct UnpackTarget: ~Copyable, Sendable {
  let root: Directory
  /// Whether this run made it.
  let isNew: Bool
  /// Whether no other run writes here, as far as is known: then what earlier runs left behind may go.
  let isAlone: Bool

  /// Opens the folder at a path, or makes it; its parent has to be there.
  /// - Throws: `targetInVault`, `system`.
  init(path: [UInt8], vault: VaultFolder, faults: FaultPlan?) throws(StoreError) {
    if try Self.isInside(vault, path: path) { throw .targetInVault }
    let root: Directory
    let isNew: Bool
    do {
      isNew = try Self.makeIfMissing(path)
      root = try Directory(path: path, faults: faults)
    } catch {
      throw .system(error, path: path)
    }
    // An answer other than "mine" only means that nothing is tidied up.
    isAlone = (try? Syscalls.lock(root.descriptor.number)) != nil
    self.root = root
    self.isNew = isNew
  }

  private static func makeIfMissing(_ path: [UInt8]) throws(SystemError) -> Bool {
    do {
      try Directory.make(path: path, mode: 0o777)
      return true
    } catch {
      if error.code == .exists { return false }
      throw error
    }
  }
}

extension UnpackTarget {
  /// Whether a folder is this vault or another, or lies in one; a folder that is still to be made is asked for by its
  /// parent.
  static func isInside(_ vault: VaultFolder, path: [UInt8]) throws(StoreError) -> Bool {
    let identity: FileIdentity
    do { identity = try vault.root.descriptor.status().identity } catch {
      throw .system(error, path: path)
    }
    return try isInside(identity, path: path)
  }

  fileprivate static func isInside(
    _ vaultIdentity: FileIdentity?, path: [UInt8]
  ) throws(StoreError) -> Bool {
    do {
      var path = path
      if try Directory.status(path: path) == nil { path = Directory.split(path).parent }
      var last: FileIdentity?
      // A folder above that cannot be opened ends the search: all of the vault's own can.
      while let folder = try? Directory(path: path) {
        let identity = try folder.descriptor.status().identity
        if identity == vaultIdentity { return true }
        if try folder.status(of: Layout.header)?.kind == .regular,
          try folder.status(of: Layout.index)?.kind == .folder
        {
          return true
        }
        if identity == last { return false }
        last = identity
        path += Array("/..".utf8)
      }
      return false
    } catch {
      throw .system(error, path: path)
    }
  }
}

/// The names that files have in the target until they are complete.
enum UnpackTemporary {
  private static let front = Array(".vaulttool-".utf8)
  private static let ending = Array(".part".utf8)

  /// `.vaulttool-<8 hex>.part`, whatever the note is called: any note's name may be as long as names can be.
  static func name(_ number: UInt32) -> [UInt8] {
    let digits = String(number, radix: 16)
    return front + Array((String(repeating: "0", count: 8 - digits.utf8.count) + digits).utf8)
      + ending
  }

  /// Whether a name is one of these.
  static func isTemporary(_ name: [UInt8]) -> Bool {
    let digits = name.dropFirst(front.count).dropLast(ending.count)
    return name.starts(with: front) && name.suffix(ending.count) == ending[...]
      && digits.count == 8 && UInt32(String(decoding: digits, as: UTF8.self), radix: 16) != nil
  }
}

/// One place in the target at a time; the last folder stays open.
struct UnpackCursor: ~Copyable {
  private let root: Directory
  private(set) var folder: Directory
  private var path: [UInt8] = []

  init(_ root: borrowing Directory) throws(SystemError) {
    let folder = try root.reopened()
    self.root = try root.reopened()
    self.folder = folder
  }

  /// Opens the folder at a path; empty for the target itself.
  /// - Throws: `failed` with `notAFolder` where a component is anything else, links included.
  mutating func enter(_ path: [UInt8]) throws(SystemError) {
    if path == self.path { return }
    let slash = UInt8(ascii: "/")
    let rest = path.dropFirst(self.path.count)
    if !self.path.isEmpty, path.starts(with: self.path), rest.first == slash {
      try descend(rest.dropFirst())
    } else {
      folder = try root.reopened()
      self.path = []
      if !path.isEmpty { try descend(path[...]) }
    }
    self.path = path
  }

  private mutating func descend(_ parts: ArraySlice<UInt8>) throws(SystemError) {
    for part in parts.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      folder = try Directory(opening: Array(part), in: folder)
    }
  }
}

/// A path taken apart into its folder, empty for the target itself, and its last component.
struct UnpackPlace {
  let folder: [UInt8]
  let name: [UInt8]

  init(_ path: [UInt8]) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    folder = Array(path[..<(slash ?? 0)])
    name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
  }
}

extension VaultFolder {
  /// Whether a file lies in a vault: in the one at a path, which may still have to be made, or in any other. A file that
  /// is not there yet is asked for by its folder.
  /// - Throws: `system`.
  package static func holds(_ file: [UInt8], vault path: [UInt8]) throws(StoreError) -> Bool {
    let identity: FileIdentity?
    do throws(SystemError) {
      identity =
        try Directory.status(path: path) == nil
        ? nil : Directory(path: path).descriptor.status().identity
    } catch {
      throw .system(error, path: path)
    }
    return try UnpackTarget.isInside(identity, path: file)
  }
}
