import CZstd

/// Facts about the linked compression library and the translation of its error numbers.
package enum ZstdLibrary {
  /// Version as one number: 1.5.4 is 10504.
  package static var versionNumber: UInt32 { ZSTD_versionNumber() }

  /// Turns a library result into a count of bytes.
  ///
  /// - Throws: `ZstdFailure` for the library's error numbers.
  static func count(_ result: Int) throws(ZstdFailure) -> Int {
    guard ZSTD_isError(result) != 0 else { return result }
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_prefix_unknown, ZSTD_error_version_unsupported: throw .notAFrame
    case ZSTD_error_memory_allocation: throw .outOfMemory
    case let code: throw .library(code: code.rawValue)
    }
  }
}
