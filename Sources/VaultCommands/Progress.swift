import Synchronization
import VaultStore

/// Shows on a terminal how far some work is; on anything else it is silent.
///
/// Several threads may report at once: a report costs an addition and a look at the clock, and at
/// most ten times a second one of them draws. Shared between threads, hence a class.
package final class Progress: Sendable {
  private let console: Console
  private let label: String
  private let unit: ProgressLine.Unit
  private let isShown: Bool
  private let start = SystemClock.monotonicSeconds()
  private let done = Atomic<Int>(0)
  /// 0 as long as nobody knows.
  private let total = Atomic<Int>(0)
  /// Tenths of a second since the start when the line was drawn last.
  private let drawnAt = Atomic<Int>(-1)

  /// - Parameter label: what is done, such as `packing`; text of ours, never a name.
  package init(on console: Console, label: String, unit: ProgressLine.Unit) {
    self.console = console
    self.label = label
    self.unit = unit
    isShown = console.surroundings.errorIsTerminal && console.surroundings.canRedraw
  }

  /// Says how much is done in all, and how much there is, if that is known.
  package func update(done: Int, total: Int?) {
    guard isShown else { return }
    self.done.store(done, ordering: .relaxed)
    self.total.store(total ?? 0, ordering: .relaxed)
    drawIfDue()
  }

  /// Says that so much more is done.
  package func advance(by count: Int) {
    guard isShown else { return }
    done.wrappingAdd(count, ordering: .relaxed)
    drawIfDue()
  }

  /// Wipes the line; what was done is said elsewhere.
  package func finish() { console.showStatusLine("") }

  private func drawIfDue() {
    let seconds = SystemClock.monotonicSeconds() - start
    let now = Int(seconds * 10)
    let last = drawnAt.load(ordering: .relaxed)
    // The first tenth passes without a line, so that short work shows none.
    guard now > max(last, 0),
      drawnAt.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged
    else { return }
    let total = self.total.load(ordering: .relaxed)
    let line = ProgressLine(
      label: label, unit: unit, done: done.load(ordering: .relaxed),
      total: total == 0 ? nil : total, seconds: seconds)
    console.showStatusLine(line.text(width: console.width))
  }
}
