import Foundation
import VaultTestSupport

/// A Swift file as the layering test sees it.
struct SourceFile {
  /// Relative to the repository.
  let path: String
  /// Its lines without comments and without what stands in string literals.
  let code: [String]
  /// The modules it imports.
  let imports: Set<String>
  /// All identifiers and keywords in the code.
  let words: Set<String>

  init(path: String, text: String) {
    self.path = path
    code = Self.code(text)
    var imports = Set<String>()
    var words = Set<String>()
    for line in code {
      let found = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      words.formUnion(found)
      // Attributes and an access level may come before; a kind of declaration may come after.
      let kinds: Set = ["struct", "class", "enum", "func", "protocol", "typealias", "let", "var"]
      let isImport = found.prefix(4).contains("import") && !line.contains("(")
      if isImport, let start = found.firstIndex(of: "import"),
        let module = found[(start + 1)...].first(where: { !kinds.contains($0) })
      {
        imports.insert(module)
      }
    }
    self.imports = imports
    self.words = words
  }

  private static func code(_ text: String) -> [String] {
    var isInText = false  // of several lines
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var code: [Character] = []
      var isInString = false
      var rest = line[...]
      while let character = rest.first {
        if !isInString, rest.hasPrefix("\"\"\"") {
          isInText.toggle()
          rest = rest.dropFirst(3)
          continue
        }
        rest = rest.dropFirst()
        if isInText { continue }
        if isInString {
          if character == "\\" { rest = rest.dropFirst() }
          if character == "\"" { isInString = false }
        } else if character == "\"" {
          isInString = true
        } else if character == "/", rest.first == "/" {
          break
        } else {
          code.append(character)
        }
      }
      return String(code)
    }
  }

  /// All Swift files below `Sources` and `Tests`; a folder without any is an error.
  static func all() throws -> [SourceFile] {
    let root = Fixtures.folder.deletingLastPathComponent()
    var files: [SourceFile] = []
    for folder in ["Sources", "Tests"] {
      let names = try FileManager.default.subpathsOfDirectory(
        atPath: root.appending(path: folder).path)
      for name in names.sorted() where name.hasSuffix(".swift") {
        let text = try String(
          contentsOf: root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
        files.append(SourceFile(path: "\(folder)/\(name)", text: text))
      }
      guard files.contains(where: { $0.path.hasPrefix(folder) }) else {
        throw FixtureError.missing(path: folder)
      }
    }
    return files
  }
}
