/// Help texts, made from the tables that the parser reads; 80 columns wide at most.
package enum HelpText {
  /// The text for `vaulttool COMMAND --help`.
  package static func of(_ command: CommandSpec) -> String {
    var sections = ["\(usage(of: command))\n\n\(wrapped(command.summary))"]
    let general = command.options.filter { $0.group == .general }
    sections.append(list("Options:", general))
    let secrets = command.options.filter { $0.group == .secrets }
    if !secrets.isEmpty {
      sections.append(list("Secrets (without one of these, the terminal asks):", secrets))
    }
    sections += command.notes.map { wrapped($0) }
    sections.append(statuses([.done, .failed, .usage] + command.statuses))
    if !command.examples.isEmpty {
      let lines = command.examples.map { "  \($0.line)\n      \($0.purpose)" }
      sections.append((["Examples:"] + lines).joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The text for `vaulttool --help`.
  package static func overview(of commands: [CommandSpec]) -> String {
    """
    Usage: vaulttool COMMAND [OPTION]... OPERAND...
           vaulttool help COMMAND
           vaulttool --version

    Keeps a folder of notes in an encrypted vault, which anybody can check without
    the passphrase.

    Commands:
    \(summaries(of: commands))

    'vaulttool help COMMAND' tells what a command takes. '--' ends the options.

    """
  }

  /// The text for `vaulttool phrase --help`: the commands whose names begin with a word.
  package static func group(_ name: String, of members: [CommandSpec]) -> String {
    """
    Usage: vaulttool \(name) COMMAND [OPTION]... OPERAND...
           vaulttool help \(name) COMMAND

    Commands:
    \(summaries(of: members))

    """
  }

  private static func summaries(of commands: [CommandSpec]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    return commands.map { command in
      "  \(padded(command.name, to: width + 2))" + wrapped(command.summary, indent: width + 4)
    }.joined(separator: "\n")
  }

  /// The line that shows how a command is called.
  package static func usage(of command: CommandSpec) -> String {
    let operands = command.operands.map { operand in
      switch operand.count {
      case .one: operand.name
      case .optional: "[\(operand.name)]"
      case .any: "[\(operand.name)]..."
      case .atLeastOne: "\(operand.name)..."
      }
    }
    return (["Usage: vaulttool", command.name, "[OPTION]..."] + operands).joined(separator: " ")
  }

  private static func list(_ title: String, _ options: [OptionSpec]) -> String {
    let column = 28
    let lines = options.map { option in
      let short = option.short.map { "-\($0), " } ?? "    "
      let left = "  \(short)--\(option.name)" + (option.valueName.map { " \($0)" } ?? "")
      let repeats = option.isRepeatable ? " May be repeated." : ""
      let right = wrapped(option.help + repeats, indent: column)
      return left.count < column - 1
        ? padded(left, to: column) + right
        : left + "\n" + padded("", to: column) + right
    }
    return ([title] + lines).joined(separator: "\n")
  }

  private static func statuses(_ codes: [ExitCode]) -> String {
    let lines = codes.sorted { $0.status < $1.status }.map { "  \($0.status)  \($0.meaning)" }
    return (["Exit status:"] + lines + ["  128 + n  interrupted by signal n"])
      .joined(separator: "\n")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Breaks text at spaces so that no line passes column 80; lines after the first are indented.
  private static func wrapped(_ text: String, indent: Int = 0) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= 80 - indent {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n" + padded("", to: indent))
  }
}
