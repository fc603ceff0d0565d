/// The text that shows how far some work is.
package struct ProgressLine: Equatable, Sendable {
  /// What is counted.
  package enum Unit: Equatable, Sendable {
    case bytes
    case items
  }

  package let label: String
  package let unit: Unit
  package let done: Int
  /// What `done` will be at the end, nil as long as nobody knows.
  package let total: Int?
  /// Since the start.
  package let seconds: Double

  package init(label: String, unit: Unit, done: Int, total: Int?, seconds: Double) {
    self.label = label
    self.unit = unit
    self.done = done
    self.total = total
    self.seconds = seconds
  }

  /// One line of less than `width` columns, without colours.
  package func text(width: Int) -> String {
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var parts = [label]
    if let total, total > 0 {
      let share = min(1, Double(done) / Double(total))
      parts += ["\(Int(share * 100))%", bar(share), "\(amount(done)) of \(amount(total))"]
    } else {
      parts.append(amount(done))
    }
    if seconds >= 0.5 {
      parts.append("\(amount(Int(rate)))/s")
      if let total, rate > 0, total > done {
        parts.append("\(duration(Double(total - done) / rate)) left")
      }
    }
    let text = parts.joined(separator: "  ")
    return text.count < width ? text : String(text.prefix(max(0, width - 1)))
  }

  private func bar(_ share: Double) -> String {
    let columns = 20
    let filled = Int(share * Double(columns))
    return
      "[\(String(repeating: "=", count: filled))\(String(repeating: " ", count: columns - filled))]"
  }

  private func amount(_ count: Int) -> String {
    unit == .bytes ? byteCountText(count) : "\(count)"
  }

  private func duration(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days" }
    let whole = Int(seconds.rounded(.up))
    let minutes = whole / 60 % 60
    return whole < 3_600
      ? "\(minutes):\(twoDigits(whole % 60))"
      : "\(whole / 3_600):\(twoDigits(minutes)):\(twoDigits(whole % 60))"
  }

  private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A byte count for people: `512 bytes`, `1.5 KiB`, `12.0 MiB`.
package func byteCountText(_ count: Int) -> String {
  guard count >= 1_024 else { return count == 1 ? "1 byte" : "\(count) bytes" }
  var value = Double(count) / 1_024
  var units = ["KiB", "MiB", "GiB", "TiB"][...]
  while value >= 1_023.95, units.count > 1 {
    value /= 1_024
    units.removeFirst()
  }
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(units.first ?? "TiB")"
}
