internal import Synchronization

/// Several threads at one job.
package enum Workers {
  /// Calls the body with 0 ..< `count`, all at the same time, and returns when all have returned.
  ///
  /// Number 0 runs on the calling thread. Bodies may wait for each other, through a `Channel`.
  /// - Throws: `failed` when the system gives too few threads; no body ran then.
  package static func run(
    count: Int, body: @escaping @Sendable (Int) -> Void
  ) throws(SystemError) {
    precondition(count > 0, "a job needs a worker")
    try run(1..<count, gate: Monitor(nil), body: body)
  }

  // Threads cannot be kept in an array, being noncopyable; each call of this holds one. All wait
  // at the gate until the last has started (true) or one was refused (false).
  private static func run(
    _ numbers: Range<Int>, gate: Monitor<Bool?>, body: @escaping @Sendable (Int) -> Void
  ) throws(SystemError) {
    guard let number = numbers.first else {
      gate.change { $0 = true }
      return body(0)
    }
    let thread: WorkerThread
    do {
      thread = try WorkerThread {
        if gate.wait({ $0 }) { body(number) }
      }
    } catch {
      gate.change { $0 = false }
      throw error
    }
    do {
      try run(numbers.dropFirst(), gate: gate, body: body)
    } catch {
      thread.join()
      throw error
    }
    thread.join()
  }
}

/// Hands out the numbers 0 ..< `count` to any number of threads, each number once.
package final class WorkQueue: Sendable {
  private let taken = Atomic<Int>(0)
  private let count: Int

  package init(count: Int) { self.count = count }

  /// The next number, or nil when all are taken or the queue was cancelled.
  package func next() -> Int? {
    let number = taken.add(1, ordering: .relaxed).oldValue
    return number < count ? number : nil
  }

  /// Gives out no further number.
  package func cancel() { taken.store(count, ordering: .relaxed) }
}
