internal import CSystem

/// The clocks of the machine; nothing else reads them.
package enum SystemClock {
  /// The time of day.
  package static func now() -> FileTime {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    unsafe vt_clock(0, &seconds, &nanoseconds)
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// Seconds since some point in the past, never set back: for deadlines and durations.
  package static func monotonicSeconds() -> Double {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    unsafe vt_clock(1, &seconds, &nanoseconds)
    return Double(seconds) + Double(nanoseconds) / 1e9
  }

  /// Lets the calling thread rest; a signal may end the rest early.
  static func rest(milliseconds: UInt32) { vt_pause(milliseconds) }
}

/// Files that this process may have open at the same time.
enum OpenFiles {
  static var limit: Int { Int(clamping: vt_open_file_limit()) }
}

/// Processors that this process may run on.
package enum Processors {
  /// At least 1; respects the affinity mask, so a limited container counts as it is limited.
  package static var count: Int { vt_processor_count() }
}
