import VaultTestSupport

/// Git without any configuration but a name and what a test adds.
struct Git {
  private let home: Name

  /// - Parameter configuration: lines for the user's own configuration file.
  init(home: Name, configuration: String = "") throws {
    self.home = home
    try Disk.makeFolder(home)
    try Disk.write(
      """
      [user]
        name = Test
        email = test@example.invalid
      [init]
        defaultBranch = main
      [protocol "file"]
        allow = always
      [safe]
        directory = *
      \(configuration)
      """, to: home / ".gitconfig")
  }

  /// Runs git in a folder.
  func run(_ folder: Name, _ arguments: Name...) throws -> Outcome {
    try Tool.program(["/usr/bin/git"] + arguments, environment: environment, in: folder)
  }

  /// Runs git in a folder; anything but status 0 fails the test.
  @discardableResult func callAsFunction(_ folder: Name, _ arguments: Name...) throws -> Outcome {
    try Disk.must(["/usr/bin/git"] + arguments, environment: environment, in: folder)
  }

  /// Makes a repository of a folder and commits all of it.
  func commitAll(_ folder: Name, message: Name = "A change") throws {
    if !Disk.exists(folder / ".git") { try self(folder, "init", "-q") }
    try self(folder, "add", "-A")
    try self(folder, "commit", "-q", "-m", message)
  }

  private var environment: [String: String] {
    ["HOME": home.text, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": home.text]
  }
}
