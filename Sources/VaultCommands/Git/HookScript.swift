/// The hooks of git that `git setup` writes: a marked block in a shell script.
enum HookScript {
  /// Hooks that have a block, by the names of their files.
  static let names = ["pre-commit", "post-merge", "post-checkout"]

  private static let begin = "# >>> vaulttool git setup >>>"
  private static let beginOfOwn = "# >>> vaulttool git setup, whole file >>>"
  private static let end = "# <<< vaulttool git setup <<<"
  private static let firstLine = "#!/bin/sh"
  private static let shells: Set = ["sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"]

  /// Why a hook cannot take a block.
  enum Refusal: Error, Equatable {
    /// Its first line names no shell.
    case notShell
    /// It has the beginning of a block and not its end.
    case brokenBlock
  }

  /// The script with the block in it, in place of one that is there.
  /// - Parameter script: nil where there is no such hook yet.
  static func adding(_ block: String, to script: [UInt8]?) throws(Refusal) -> [UInt8] {
    guard let script, let (rest, isOwn) = try removing(from: script) else {
      return text([firstLine, beginOfOwn, block, end, ""])
    }
    if isOwn, rest == text([firstLine, ""]) {
      return text([firstLine, beginOfOwn, block, end, ""])
    }
    let cut = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    guard isShell(rest[..<cut]) else { throw .notShell }
    // First of all, because whatever follows may end the script.
    let body = rest[cut...].dropFirst()
    return rest[..<cut] + text(["", isOwn ? beginOfOwn : begin, block, end, ""]) + body
  }

  /// The script without the block, and whether the file was made for it; nil where there is no block and nothing else.
  static func removing(from script: [UInt8]) throws(Refusal) -> (rest: [UInt8], isOwn: Bool)? {
    var lines = script.split(separator: 0x0A, omittingEmptySubsequences: false)
    func index(of text: String) -> Int? { lines.firstIndex { $0.elementsEqual(text.utf8) } }
    let own = index(of: beginOfOwn)
    guard let first = own ?? index(of: begin) else { return (script, false) }
    guard let last = index(of: end), last > first else { throw .brokenBlock }
    lines.removeSubrange(first...last)
    return (Array(lines.joined(separator: [0x0A])), own != nil)
  }

  /// Whether there is a block.
  static func hasBlock(_ script: [UInt8]) -> Bool {
    script.split(separator: 0x0A).contains {
      $0.elementsEqual(begin.utf8) || $0.elementsEqual(beginOfOwn.utf8)
    }
  }

  /// Whether a file without its block is what setup had made.
  static func isOnlyFirstLine(_ script: [UInt8]) -> Bool { script == text([firstLine, ""]) }

  private static func isShell(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: "#!".utf8) else { return false }
    let words = line.dropFirst(2).split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    func name(_ word: String) -> String { word.split(separator: "/").last.map(String.init) ?? "" }
    guard let program = words.first else { return false }
    guard name(program) == "env" else { return shells.contains(name(program)) }
    return words.dropFirst().first { !$0.hasPrefix("-") && !$0.contains("=") }
      .map { shells.contains(name($0)) } ?? false
  }

  private static func text(_ lines: [String]) -> [UInt8] {
    Array(lines.joined(separator: "\n").utf8)
  }
}

// MARK: - Blocks

extension HookScript {
  /// The lines of a block.
  /// - Parameter program: how a shell calls `vaulttool`.
  static func block(_ name: String, program: String) -> String {
    """
    # Written by 'vaulttool git setup --hooks'; 'vaulttool git setup --undo' removes it.
    vaulttool_hook() (
      VAULTTOOL_TERMINAL_PROMPT=0
      export VAULTTOOL_TERMINAL_PROMPT
    \(name == "pre-commit" ? check(program) : reconcile(name, program))
    )
    vaulttool_hook "$@"\(name == "pre-commit" ? " || exit 1" : "")
    """
  }

  private static func check(_ program: String) -> String {
    """
      if ! command -v \(program) >/dev/null 2>&1; then
        echo "vaulttool is not there, so no vault was checked ('git commit --no-verify' goes on)" >&2
        exit 1
      fi
      git config --get-all vaulttool.vault | {
        status=0
        while IFS= read -r vault; do
          [ -n "$(git ls-files --cached -- "./$vault" | head -n 1)" ] || continue
          \(program) verify --staged --quiet "./$vault" </dev/null >&2 || status=1
        done
        exit $status
      }
    """
  }

  private static func reconcile(_ name: String, _ program: String) -> String {
    // git says with 1 that another branch was checked out, and not single files.
    let condition =
      name == "post-checkout" ? "  [ \"$3\" = 1 ] && [ \"$1\" != \"$2\" ] || exit 0\n" : ""
    return condition + """
        git config --get-all vaulttool.vault | while IFS= read -r vault; do
          [ -e "./$vault/VAULT" ] || continue
          if command -v \(program) >/dev/null 2>&1 && {
            git config --get vaulttool.passphraseCommand >/dev/null ||
              \(program) status --quiet "./$vault" </dev/null >/dev/null 2>&1
          }; then
            \(program) git reconcile "./$vault" </dev/null >&2
          else
            echo "vaulttool: locked, not reconciled: see 'vaulttool verify $vault'" >&2
          fi
        done
        exit 0
      """
  }
}
