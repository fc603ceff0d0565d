import VaultFormat
import VaultStore

/// `git textconv`: a sealed file as text, for git's diffs.
package enum TextConvCommand: Command {
  private static let file = OperandSpec("FILE")

  package static let spec = CommandSpec(
    name: "git textconv", summary: "Show a sealed file as text; git calls it for diffs.",
    operands: [file], options: [],
    notes: [
      "Text is written as it is, after all of it was checked; of anything else one line says type, "
        + "size and times. The key comes from an unlocked vault ('vaulttool unlock'), or from the "
        + "passphrase command that 'vaulttool git setup' put into the repository's configuration; "
        + "nobody is ever asked. Without a key the line is 'sealed, N bytes'.",
      "The status is 0 for whatever a file may be, because git ends where it is not.",
    ],
    examples: [
      .init("git config diff.vaulttool.textconv 'vaulttool git textconv'", "what 'git setup' sets"),
      .init("vaulttool git textconv notes/3f/3f9a…c1.sealed", "look at one file"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let place = FilePlace(arguments.operand(file))
    var text = TextConversion(of: place, NoteKeys(console), console)
    try text.write()
    return .done
  }
}

/// A file by its folder and its name there.
struct FilePlace {
  let folder: [UInt8]
  let name: [UInt8]

  init(_ path: [UInt8]) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
    folder =
      switch slash {
      case nil: Array(".".utf8)
      case 0?: Array("/".utf8)
      case let slash?: Array(path[..<slash])
      }
  }

  func open() throws(SystemError) -> FileDescriptor {
    try Directory(path: folder).openFile(name)
  }

  func status() throws(SystemError) -> FileStatus? {
    try Directory(path: folder).status(of: name)
  }
}
