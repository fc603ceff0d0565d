import Foundation
import VaultTestSupport

/// Runs programs to their end: the built `vaulttool`, and others that the tests need.
enum Tool {
  /// The program that was built together with the tests.
  static let path = Name(BuiltTool.path)

  /// The repository's folder.
  static let repository = Name(Fixtures.url("..").standardized.path(percentEncoded: false))

  /// Runs `vaulttool` with these arguments.
  static func run(
    _ arguments: Name..., input: Name = "/dev/null", environment: [String: String] = [:],
    in folder: Name = "/"
  ) throws -> Outcome {
    try run(arguments, input: input, environment: environment, in: folder)
  }

  static func run(
    _ arguments: [Name], input: Name = "/dev/null", environment: [String: String] = [:],
    in folder: Name = "/"
  ) throws -> Outcome {
    try program([path] + arguments, input: input, environment: environment, in: folder)
  }

  /// Runs a shell script whose `"$@"` is `vaulttool` with these arguments, such as
  /// `ulimit -n 32; exec "$@"`.
  static func shell(
    _ script: Name, _ arguments: Name..., environment: [String: String] = [:], in folder: Name = "/"
  ) throws -> Outcome {
    try program(
      ["/bin/sh", "-c", script, "sh", path] + arguments, environment: environment, in: folder)
  }

  /// Starts `vaulttool` and comes back at once.
  static func start(_ arguments: [Name], in folder: Name = "/") throws -> Child {
    try Child([path] + arguments, in: folder)
  }

  /// Runs any program. One that hangs is ended after two minutes, with status -9.
  static func program(
    _ words: [Name], input: Name = "/dev/null", environment: [String: String] = [:],
    in folder: Name = "/"
  ) throws -> Outcome {
    let limited: [Name] = ["/usr/bin/timeout", "--foreground", "-s", "KILL", "120"]
    return try Child(limited + words, input: input, environment: environment, in: folder).wait()
  }

  /// Runs a Python script of `Tests/VaultToolTests/Scripts`.
  static func script(
    _ name: Name, _ arguments: [Name], environment: [String: String] = [:]
  ) throws -> Outcome {
    try program(
      ["/usr/bin/env", "python3", repository / "Tests/VaultToolTests/Scripts" / name] + arguments,
      environment: environment)
  }
}
