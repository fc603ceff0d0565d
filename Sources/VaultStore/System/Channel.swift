/// A queue of bounded length between threads: putting waits for room, taking waits for an element.
package final class Channel<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isClosed = false
  }

  private let state = Monitor(State())
  private let capacity: Int

  /// A channel for at most so many elements at a time, at least 1.
  package init(capacity: Int) {
    precondition(capacity > 0, "a channel holds something")
    self.capacity = capacity
  }

  /// Adds an element when there is room.
  /// - Returns: false when the channel was closed or cancelled; the element was not added then.
  @discardableResult
  package func put(_ element: Element) -> Bool {
    let capacity = self.capacity
    return state.wait { state in
      if state.isClosed { return false }
      if state.elements.count >= capacity { return nil }
      state.elements.append(element)
      return true
    }
  }

  /// The oldest element, or nil when the channel is closed and empty, or cancelled.
  package func take() -> Element? {
    state.wait { state -> Element?? in
      if !state.elements.isEmpty { return .some(state.elements.removeFirst()) }
      return state.isClosed ? .some(nil) : nil
    }
  }

  /// No element is added from now on; those inside are still taken.
  package func close() {
    state.change { $0.isClosed = true }
  }

  /// Closes, drops what is inside, and wakes all who wait.
  package func cancel() {
    state.change { state in
      state.isClosed = true
      state.elements.removeAll()
    }
  }
}
