/// Why a path may not be used (spec §8.3).
package enum PathFault: Hashable, Sendable, CustomStringConvertible {
  case empty
  case tooLong(byteCount: Int)
  case tooManyParts(count: Int)
  /// Also what an absolute path, a doubled `/` and a `/` at the end are.
  case emptyPart
  case partTooLong(byteCount: Int)
  /// A part is `.` or `..`.
  case dotPart
  /// There is a byte 00.
  case nulByte

  /// What the path is, after the words "the path".
  package var description: String {
    switch self {
    case .empty: "is empty"
    case .tooLong(let byteCount):
      "has \(byteCount) bytes, more than \(Limits.pathByteCount.upperBound)"
    case .tooManyParts(let count): "has \(count) parts, more than \(Limits.pathParts)"
    case .emptyPart: "has an empty part"
    case .partTooLong(let byteCount):
      "has a part of \(byteCount) bytes, more than \(Limits.pathPartByteCount.upperBound)"
    case .dotPart: "has the part '.' or '..'"
    case .nulByte: "has a byte 00"
    }
  }
}

/// The rules for a path that was decrypted or is about to be sealed (spec §8.3).
package enum SafePath {
  /// Checks that a path is relative, stays below its folder and is within the maxima.
  ///
  /// - Throws: `unsafePath` with the first fault.
  package static func check(_ path: [UInt8]) throws(FormatError) {
    if let fault = fault(in: path) { throw .unsafePath(fault) }
  }

  /// What is wrong with a path; nil if it may be used.
  package static func fault(in path: [UInt8]) -> PathFault? {
    guard !path.isEmpty else { return .empty }
    guard path.count <= Limits.pathByteCount.upperBound else {
      return .tooLong(byteCount: path.count)
    }
    guard !path.contains(0) else { return .nulByte }
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts {
      if part.isEmpty { return .emptyPart }
      if part.count > Limits.pathPartByteCount.upperBound {
        return .partTooLong(byteCount: part.count)
      }
      if part.count <= 2, part.allSatisfy({ $0 == UInt8(ascii: ".") }) { return .dotPart }
    }
    guard parts.count <= Limits.pathParts else { return .tooManyParts(count: parts.count) }
    return nil
  }
}
