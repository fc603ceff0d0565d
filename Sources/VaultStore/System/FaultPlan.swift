internal import Synchronization

/// Makes one mutating call fail on purpose, so that a test can try each step of a save.
///
/// A plan is handed to the outermost `Directory` and passes to all that is opened from it. It is
/// asked before each call that changes the file system.
package final class FaultPlan: Sendable {
  /// What happens at the chosen step.
  package enum Effect: Sendable {
    /// This one call fails; later ones work, as when a full disk gets room again.
    case fail(ErrorCode)
    /// This and all later calls fail and change nothing, as if the process had died before it.
    case stop
  }

  private let step: Int
  private let effect: Effect
  private let asked = Atomic<Int>(0)

  /// A plan for the step with this number, counted from 1.
  package init(atStep step: Int, _ effect: Effect) {
    self.step = step
    self.effect = effect
  }

  /// Mutating calls asked about so far.
  package var stepCount: Int { asked.load(ordering: .sequentiallyConsistent) }

  /// Whether the chosen step was reached: while it was, a higher step is worth a run too.
  package var wasReached: Bool { stepCount >= step }

  func willChange(_ call: String) throws(SystemError) {
    let number = asked.add(1, ordering: .sequentiallyConsistent).newValue
    switch effect {
    case .fail(let code) where number == step: throw SystemError(call: call, code: code)
    case .stop where number >= step: throw SystemError(call: call, code: .inputOutput)
    case .fail, .stop: return
    }
  }
}
