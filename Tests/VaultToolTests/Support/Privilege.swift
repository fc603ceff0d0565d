import Glibc

/// Tests of permissions need a process that permissions stop: root without its capabilities.
enum Privilege {
  private static let limiting: [Name] =
    geteuid() == 0
    ? [
      "/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search",
      "--inh-caps=-dac_override,-dac_read_search",
    ] : []

  /// Whether permissions stop a process of `run`.
  static let canBeLimited: Bool = {
    let probe = try? Tool.program(limiting + ["/bin/cat", "/proc/self/status"])
    return probe?.status == 0
  }()

  /// Runs `vaulttool` as a process that has to respect permissions.
  static func run(_ arguments: [Name]) throws -> Outcome {
    try Tool.program(limiting + [Tool.path] + arguments)
  }
}
