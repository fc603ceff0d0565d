/// The media type that a file's ending stands for; a note without a known ending has none.
enum MediaType {
  /// The type for a path, nil where the ending is not known.
  static func ofFile(at path: [UInt8]) -> String? {
    let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
    let ending = name[(dot + 1)...]
    guard (1...8).contains(ending.count) else { return nil }
    // Only ASCII letters are folded, so nothing depends on a locale.
    let folded = ending.map {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
    }
    return types[folded]
  }

  private static let types: [[UInt8]: String] = {
    let table: KeyValuePairs = [
      "text/markdown": "md markdown", "text/plain": "txt text log", "text/html": "html htm",
      "text/css": "css", "text/csv": "csv", "text/javascript": "js mjs", "text/calendar": "ics",
      "text/vcard": "vcf", "application/json": "json", "application/xml": "xml",
      "application/yaml": "yaml yml", "application/toml": "toml", "application/pdf": "pdf",
      "application/zip": "zip", "application/gzip": "gz", "application/x-tar": "tar",
      "application/epub+zip": "epub", "application/rtf": "rtf", "application/x-tex": "tex",
      "application/vnd.oasis.opendocument.text": "odt",
      "application/vnd.oasis.opendocument.spreadsheet": "ods",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
      "image/png": "png", "image/jpeg": "jpg jpeg", "image/gif": "gif", "image/webp": "webp",
      "image/svg+xml": "svg", "image/heic": "heic", "image/avif": "avif", "image/tiff": "tif tiff",
      "image/bmp": "bmp", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/ogg": "ogg oga opus",
      "audio/wav": "wav", "audio/flac": "flac", "video/mp4": "mp4 m4v", "video/webm": "webm",
      "video/quicktime": "mov", "video/x-matroska": "mkv",
    ]
    var types: [[UInt8]: String] = [:]
    for (type, endings) in table {
      for ending in endings.split(separator: " ") { types[Array(ending.utf8)] = type }
    }
    return types
  }()
}
