/// The name that somebody most likely meant, or nil if none is close: a name that `typed` begins
/// or that begins with `typed`, else the one with the fewest changed bytes, at most four and half
/// its length.
func nearestName(to typed: [UInt8], among names: [String]) -> String? {
  guard typed.count >= 2 else { return nil }
  if let longer = names.first(where: { $0.utf8.starts(with: typed) || typed.starts(with: $0.utf8) })
  {
    return longer
  }
  let ranked = names.map { (name: $0, changes: editDistance(typed, Array($0.utf8))) }
  guard let best = ranked.min(by: { $0.changes < $1.changes }) else { return nil }
  return best.changes <= min(4, best.name.utf8.count / 2) ? best.name : nil
}

/// How many bytes must be put in, left out or replaced to make `second` of `first`.
private func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
  guard first.count <= 64 else { return .max }
  var row = Array(0...second.count)
  for (index, byte) in first.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in second.indices {
      let substituted = diagonal + (byte == second[column] ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(substituted, min(diagonal, row[column]) + 1)
    }
  }
  return row[second.count]
}
