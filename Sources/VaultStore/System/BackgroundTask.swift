/// A computation in a thread of its own, with one result that is taken once.
///
/// The result may be noncopyable, as a derived key is.
package struct BackgroundTask<Value: ~Copyable & Sendable, Failure: Error>: ~Copyable, Sendable {
  private let thread: WorkerThread
  private let outcome: Outcome

  /// Starts the body.
  /// - Throws: `failed` when the system gives no thread; the body did not run then.
  package init(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(SystemError) {
    let outcome = Outcome()
    thread = try WorkerThread { outcome.fill(body) }
    self.outcome = outcome
  }

  /// Waits for the body to end.
  /// - Throws: what the body threw.
  package consuming func wait() throws(Failure) -> Value {
    let outcome = self.outcome
    thread.join()
    return try outcome.take()
  }

  // Unchecked, because written by the thread before it ends and read after it was joined.
  private final class Outcome: @unchecked Sendable {
    private var result: Result<Value, Failure>?

    func fill(_ body: () throws(Failure) -> Value) {
      do throws(Failure) {
        result = .success(try body())
      } catch {
        result = .failure(error)
      }
    }

    func take() throws(Failure) -> Value {
      guard let result = result.take() else { preconditionFailure("a result is taken once") }
      return try result.get()
    }
  }
}
