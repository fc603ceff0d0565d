import CSystem
import Glibc
import Synchronization

/// Catches the signals that must not leave a terminal without echo, while a question is open.
struct PromptSignals: ~Copyable {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
  private var before: [(number: CInt, action: sigaction)] = []

  init() {
    Wakeup.prepare()
    arrivedSignal.store(0, ordering: .releasing)
    for number in Self.numbers {
      var action = sigaction()
      guard unsafe vt_catch_signal(number, promptSignalArrived, &action) == 0 else { continue }
      before.append((number, action))
    }
  }

  /// The signal that arrived since the question was opened, nil if none did.
  var arrived: CInt? {
    let number = arrivedSignal.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  deinit {
    for (number, var action) in before { unsafe vt_restore_signal(number, &action) }
  }
}

private let arrivedSignal = Atomic<CInt>(0)

/// Runs in a signal handler: only an atomic store and `write`.
private func promptSignalArrived(_ number: CInt) {
  arrivedSignal.store(number, ordering: .releasing)
  Wakeup.signalArrived()
}
