/// The arguments of one command, checked against its table. Names and values stay bytes: nothing
/// depends on the locale.
///
/// Options may stand after operands; `--` ends them; `-` is an operand.
package struct ArgumentReader: Sendable {
  /// The table the arguments were checked against.
  package let spec: CommandSpec
  /// Whether `--help` was met; then nothing after it was looked at and nothing may be missing.
  package private(set) var wantsHelp = false
  /// As they stand on the command line.
  private var given: [(option: OptionSpec, value: [UInt8])] = []
  private var operands: [[UInt8]] = []

  /// Parses what follows the command's name.
  ///
  /// - Throws: the first thing that is wrong, from left to right; missing operands last.
  package init(_ arguments: [[UInt8]], for spec: CommandSpec) throws(UsageError) {
    self.spec = spec
    var rest = arguments[...]
    var optionsEnded = false
    while let argument = rest.popFirst() {
      if optionsEnded || !argument.starts(with: "-".utf8) || argument.count == 1 {
        operands.append(argument)
      } else if argument.elementsEqual("--".utf8) {
        optionsEnded = true
      } else if argument.starts(with: "--".utf8) {
        try takeLong(argument, &rest)
      } else {
        try takeShort(argument)
      }
      if wantsHelp { return }
    }
    try checkOperands()
  }

  /// Whether an option without a value was given.
  package func has(_ option: OptionSpec) -> Bool {
    precondition(spec.options.contains(option), "--\(option.name) is not in the table")
    return isGiven(option)
  }

  /// Whether an option was given, with a value or without.
  package func isGiven(_ option: OptionSpec) -> Bool { given.contains { $0.option == option } }

  /// The value of an option, nil if it was not given; never empty.
  package func value(of option: OptionSpec) -> [UInt8]? { values(of: option).last }

  /// The values of a repeatable option in their order; none is empty.
  package func values(of option: OptionSpec) -> [[UInt8]] {
    precondition(spec.options.contains(option), "--\(option.name) is not in the table")
    return given.filter { $0.option == option }.map(\.value)
  }

  /// The values of several options, in the order in which they stand on the command line; none is empty.
  package func values(of options: [OptionSpec]) -> [(option: OptionSpec, value: [UInt8])] {
    given.filter { options.contains($0.option) }
  }

  /// The value of an option that takes text.
  ///
  /// - Throws: `invalidValue` if the bytes are not valid UTF-8.
  package func text(of option: OptionSpec) throws(UsageError) -> String? {
    guard let bytes = value(of: option) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidValue(option: option.name, expected: "valid UTF-8")
    }
    return text
  }

  /// The operand of this name; never empty.
  package func operand(_ operand: OperandSpec) -> [UInt8] {
    guard let index = spec.operands.firstIndex(of: operand), operand.count == .one,
      operands.indices.contains(index)
    else { preconditionFailure("\(operand.name) is not a single operand of \(spec.name)") }
    return operands[index]
  }

  /// The operand of a name that may be missing, nil if it is; never empty.
  package func optionalOperand(_ operand: OperandSpec) -> [UInt8]? {
    precondition(operand.count == .optional, "\(operand.name) is never missing")
    return operands(operand).first
  }

  /// The operands of a name that repeats, in their order; none is empty.
  package func operands(_ operand: OperandSpec) -> [[UInt8]] {
    guard let index = spec.operands.firstIndex(of: operand) else {
      preconditionFailure("\(operand.name) is not an operand of \(spec.name)")
    }
    return Array(operands.dropFirst(index))
  }
}

// MARK: - Parsing

extension ArgumentReader {
  private mutating func takeLong(
    _ argument: [UInt8], _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    let parts = argument.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].dropFirst(2)
    guard let option = spec.options.first(where: { $0.name.utf8.elementsEqual(name) }) else {
      let nearest = nearestName(to: Array(name), among: spec.options.map(\.name))
      throw .unknownOption(Array(parts[0]), nearest: nearest)
    }
    guard let valueName = option.valueName else {
      guard parts.count == 1 else { throw .unexpectedValue(option: option.name) }
      return try record(option, value: [])
    }
    let value: [UInt8]
    if parts.count == 2 {
      value = Array(parts[1])
    } else {
      guard let next = rest.popFirst() else {
        throw .missingValue(option: option.name, valueName: valueName)
      }
      guard !next.starts(with: "--".utf8) else {
        throw .optionInsteadOfValue(option: option.name, valueName: valueName)
      }
      value = next
    }
    guard !value.isEmpty else { throw .emptyValue(option: option.name) }
    try record(option, value: value)
  }

  private mutating func takeShort(_ argument: [UInt8]) throws(UsageError) {
    for letter in argument.dropFirst() {
      let option = spec.options.first { $0.short?.asciiValue == letter }
      guard let option else {
        // Only the letter: what stands behind it may be a secret.
        throw .unknownOption([UInt8(ascii: "-"), letter], nearest: nil)
      }
      try record(option, value: [])
    }
  }

  private mutating func record(_ option: OptionSpec, value: [UInt8]) throws(UsageError) {
    guard option != .help else {
      wantsHelp = true
      return
    }
    guard !isGiven(option) || option.isRepeatable || option.valueName == nil else {
      throw .repeatedOption(option.name)
    }
    given.append((option, value))
  }

  private func checkOperands() throws(UsageError) {
    for (index, operand) in spec.operands.enumerated() {
      guard operands.count > index || operand.count.mayBeNone else {
        throw .missingOperand(operand.name)
      }
    }
    if !(spec.operands.last?.count.mayRepeat ?? false), operands.count > spec.operands.count {
      throw .extraOperand(operands[spec.operands.count])
    }
    for (index, bytes) in operands.enumerated() where bytes.isEmpty {
      throw .emptyOperand(spec.operands[min(index, spec.operands.count - 1)].name)
    }
  }
}
