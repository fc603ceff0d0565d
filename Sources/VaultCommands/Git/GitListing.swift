import VaultFormat

/// One file of a vault as a commit or git's index has it.
package struct GitFile: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case regular
    /// A symbolic link, which is never followed.
    case link
    /// A commit of another repository, which is never looked into.
    case submodule
  }

  package let kind: Kind
  package let id: GitID
  /// Relative to the vault's folder.
  package let path: [UInt8]
}

/// Lists the files of a vault's folder in another state, bytes as they are.
package enum GitListing {
  /// The most files: 1,048,576 notes of a segment and some more.
  private static let fileCount = 2_097_152
  private static let recordByteCount = 16_384

  /// The files of a tree.
  package static func files(
    ofTree tree: GitID, at place: GitPlace
  ) throws(GitStateError) -> [GitFile] {
    let words = ["ls-tree", "-r", "-z", "--full-tree"].map { Array($0.utf8) } + [tree.text]
    // mode, type, id
    return try files(Git.Call(words), at: place) { fields, path throws(GitStateError) in
      guard fields.count == 3, let id = GitID(fields[2]) else { throw .unusableName(path) }
      return GitFile(kind: try kind(fields[0], path), id: id, path: path)
    }
  }

  /// The files of git's index: what would be committed now.
  /// - Parameter variables: `GIT_INDEX_FILE=…`, where another index than the usual one is meant.
  package static func files(
    ofIndexAt place: GitPlace, variables: [[UInt8]]
  ) throws(GitStateError) -> [GitFile] {
    var call = Git.Call(["ls-files", "-s", "-z"])
    call.variables = variables
    // mode, id, stage
    return try files(call, at: place) { fields, path throws(GitStateError) in
      guard fields.count == 3, let id = GitID(fields[1]) else { throw .unusableName(path) }
      guard fields[2].elementsEqual("0".utf8) else { throw .unmerged(path) }
      return GitFile(kind: try kind(fields[0], path), id: id, path: path)
    }
  }

  private static func files(
    _ call: Git.Call, at place: GitPlace,
    reading read: (_ fields: [ArraySlice<UInt8>], _ path: [UInt8]) throws(GitStateError) -> GitFile
  ) throws(GitStateError) -> [GitFile] {
    var files: [GitFile] = []
    try GitRecords.read(call, at: place, longest: recordByteCount) {
      (record) throws(GitStateError) in
      guard let tab = record.firstIndex(of: 0x09), files.count < fileCount else { throw .tooLarge }
      let path = Array(record[tab...].dropFirst())
      files.append(try read(record[..<tab].split(separator: 0x20), path))
    }
    return files
  }

  private static func kind(
    _ mode: ArraySlice<UInt8>, _ path: [UInt8]
  ) throws(GitStateError) -> GitFile.Kind {
    switch String(decoding: mode, as: UTF8.self) {
    // 100664 is what very old versions of git wrote.
    case "100644", "100755", "100664": .regular
    case "120000": .link
    case "160000": .submodule
    default: throw .unusableName(path)
    }
  }
}

/// Records that git ends with a zero byte, one after the other in constant memory.
package enum GitRecords {
  /// - Parameter longest: the most bytes of a record.
  package static func read(
    _ call: Git.Call, at place: GitPlace, longest: Int,
    taking take: (_ record: [UInt8]) throws(GitStateError) -> Void
  ) throws(GitStateError) {
    var record: [UInt8] = []
    var failure: GitStateError?
    do {
      try Git.run(place.call(call), in: place.folder) { piece in
        for part in [UInt8](copying: piece).split(separator: 0, omittingEmptySubsequences: false)
          .enumerated()
        {
          if part.offset > 0 {
            do throws(GitStateError) { try take(record) } catch {
              failure = error
              return .stop
            }
            record.removeAll(keepingCapacity: true)
          }
          record += part.element
        }
        if record.count > longest { failure = .tooLarge }
        return failure == nil ? .more : .stop
      }
    } catch {
      if let failure { throw failure }
      throw place.failure(error)
    }
  }
}

extension GitPlace {
  /// What a refusal of git to read objects means here.
  func failure(_ refusal: Git.Refusal) -> GitStateError {
    if case .refused = refusal, clone != .whole { return .objectMissing(clone) }
    return .git(refusal)
  }
}
