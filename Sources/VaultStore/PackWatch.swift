/// How a long run hears that it shall stop, and says how far it is. Called from several threads.
package struct PackWatch: Sendable {
  /// Whether a signal asked for the end.
  package let isInterrupted: @Sendable () -> Bool
  /// So many more bytes of the source are done with.
  package let didHandle: @Sendable (_ byteCount: Int) -> Void

  package init(
    isInterrupted: @escaping @Sendable () -> Bool,
    didHandle: @escaping @Sendable (_ byteCount: Int) -> Void
  ) {
    self.isInterrupted = isInterrupted
    self.didHandle = didHandle
  }
}
