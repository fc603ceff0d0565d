/// Numbers as options and policies hold them: ASCII digits and nothing before or behind but what is named here.
enum VerifyNumber {
  /// A whole number of at most 19 digits, without a sign or zeros before it.
  static func whole(_ bytes: some Collection<UInt8>) -> UInt64? {
    guard (1...19).contains(bytes.count), bytes.count == 1 || bytes.first != UInt8(ascii: "0")
    else { return nil }
    var number: UInt64 = 0
    for byte in bytes {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    return number
  }

  /// A number of bytes, as GNU tools take it: K, M, G and KiB, MiB, GiB are powers of 1,024, and KB, MB, GB of 1,000.
  static func byteCount(_ bytes: [UInt8]) -> UInt64? {
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = whole(digits) else { return nil }
    let unit: UInt64
    switch String(decoding: bytes.dropFirst(digits.count), as: UTF8.self) {
    case "": unit = 1
    case "K", "KiB": unit = 1 << 10
    case "M", "MiB": unit = 1 << 20
    case "G", "GiB": unit = 1 << 30
    case "KB": unit = 1_000
    case "MB": unit = 1_000_000
    case "GB": unit = 1_000_000_000
    default: return nil
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow || product > UInt64(Int64.max) ? nil : product
  }
}
