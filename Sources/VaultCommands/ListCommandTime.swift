import VaultFormat

extension Timestamp {
  /// The time in whole seconds as `2024-01-23 06:13:20Z`, whatever the year: no clock, no zone, no locale is asked.
  var utcText: String {
    let (day, second) = Self.floored(seconds, by: 86_400)
    // Days are counted from 0000-03-01, so that a leap day ends its year; 400 years always have 146,097 days.
    let (era, dayOfEra) = Self.floored(day + 719_468, by: 146_097)
    let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(dayOfMonth, 2))"
    let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }
    return "\(date) \(clock.joined(separator: ":"))Z"
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(0, count - text.utf8.count))
    return (value < 0 ? "-" : "") + zeros + text
  }
}
