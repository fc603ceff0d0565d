/// The permission bits that files get in a target.
struct UnpackModes: Sendable {
  /// Of a finished file that is not, or is, executable, where the note kept none.
  private let plain: UInt32
  private let executable: UInt32

  init() {
    let mask = FileModeMask.current()
    plain = 0o666 & ~mask
    executable = 0o777 & ~mask
  }

  /// Those that the note kept, but for the executable bits where the index says otherwise by now (spec §6.1).
  func mode(_ permissions: UInt16?, isExecutable: Bool) -> UInt32 {
    guard let permissions else { return isExecutable ? executable : plain }
    let bits = UInt32(permissions)
    if isExecutable == (bits & 0o100 != 0) { return bits }
    return isExecutable ? bits | (bits & 0o444) >> 2 : bits & ~0o111
  }
}
