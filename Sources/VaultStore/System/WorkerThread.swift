internal import Glibc

/// A thread that is always joined: at the latest when its value's life ends.
struct WorkerThread: ~Copyable, Sendable {
  /// Enough for zstd and OpenSSL, and small enough for many.
  static let stackByteCount = 1 << 20

  private var number: pthread_t
  private var isJoined = false

  /// - Throws: `failed` when the system gives no thread; the body did not run then.
  init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(body))
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { unsafe attributes.deallocate() }
    var number = pthread_t()
    unsafe pthread_attr_init(attributes)
    unsafe pthread_attr_setstacksize(attributes, WorkerThread.stackByteCount)
    let code = unsafe pthread_create(
      &number, attributes,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
      }, start.toOpaque())
    unsafe pthread_attr_destroy(attributes)
    if code != 0 {
      unsafe start.release()
      throw SystemError(call: "pthread_create", code: ErrorCode(rawValue: code))
    }
    self.number = number
  }

  deinit {
    if !isJoined { pthread_join(number, nil) }
  }

  /// Waits until the body has returned.
  consuming func join() {
    pthread_join(number, nil)
    isJoined = true
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
