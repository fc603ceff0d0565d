import VaultFormat
import VaultStore

/// How far a reconciliation is, and the verification that ends it.
struct ReconcileWatch {
  let options = VerifyOptions(pins: [], bounds: .standard, workerCount: Processors.count)
  private let bar: Progress

  init(_ console: Console) { bar = Progress(on: console, label: "reading", unit: .bytes) }

  var progress: VerifyProgress {
    let bar = bar
    return VerifyProgress(
      begin: { bar.update(done: 0, total: Int(clamping: $0)) }, advance: { bar.advance(by: $0) },
      isCancelled: { Interruption.isRequested })
  }

  func finish() { bar.finish() }

  /// What is wrong with the vault now, without its secret.
  func verify(_ path: [UInt8]) throws(StoreError) -> [Finding] {
    try Verification(path: path, options: options).run(progress: progress, keys: nil).findings
  }
}
