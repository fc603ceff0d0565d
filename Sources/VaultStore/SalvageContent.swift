internal import VaultFormat
internal import VaultSealing

// What is written of a file: every byte that is authentic, at its place (spec §12.2).
extension SalvageWriter {
  /// Copies the payload chunk by chunk; what is lost stays zero.
  /// - Returns: the ranges of the payload that are lost, ascending.
  mutating func copy(
    _ reading: SalvageReading, _ file: borrowing SalvageFile, to output: borrowing FileDescriptor
  ) throws(UnpackFault) -> [Range<UInt64>] {
    var lost: [Range<UInt64>] = []
    var refusal: SystemError?
    let run = run
    do throws(StoreError) {
      try reader.forEachChunk(reading, of: file) { (chunk, piece) throws(StoreError) in
        if run.shouldStop() { throw .interrupted }
        let range = reading.payloadRange(ofChunk: chunk)
        if range.isEmpty { return .enough }
        guard !piece.isEmpty else {
          Self.add(range, to: &lost)
          return .more
        }
        do throws(SystemError) {
          try output.write(piece.extracting(first: range.count), at: range.lowerBound)
        } catch {
          refusal = error
          throw .system(error, path: [])
        }
        return .more
      }
    } catch {
      throw refusal.map(UnpackFault.target) ?? .vault(error)
    }
    try inTarget { () throws(SystemError) in
      try output.truncate(to: reading.payloadByteCount)
    }
    return lost
  }

  private static func add(_ range: Range<UInt64>, to lost: inout [Range<UInt64>]) {
    if let last = lost.last, last.upperBound == range.lowerBound {
      lost[lost.count - 1] = last.lowerBound..<range.upperBound
    } else {
      lost.append(range)
    }
  }

  /// Writes what the payload expands to before its first gap, and a mark for the rest.
  /// - Returns: whether that is all of the content.
  mutating func expand(
    _ reading: SalvageReading, _ file: borrowing SalvageFile, to output: borrowing FileDescriptor
  ) throws(UnpackFault) -> Bool {
    var refusal: SystemError?
    var offset: UInt64 = 0
    let isWhole: Bool
    do throws(StoreError) {
      isWhole = try expand(reading, file) { (piece) throws(StoreError) in
        do throws(SystemError) { try output.write(piece, at: offset) } catch {
          refusal = error
          throw .system(error, path: [])
        }
        offset += UInt64(piece.count)
      }
    } catch {
      throw refusal.map(UnpackFault.target) ?? .vault(error)
    }
    let byteCount = reading.record?.contentByteCount ?? offset
    if !isWhole, offset < byteCount { try output.mark(offset..<byteCount) }
    return isWhole
  }

  /// Passes on what the payload gives before its first gap.
  mutating func expand(
    _ reading: SalvageReading, _ file: borrowing SalvageFile,
    into sink: (Span<UInt8>) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    guard let record = reading.record else { return false }
    let run = run
    let path = file.path
    var hasGap = false
    var isSinkRefused = false
    do throws(StoreError) {
      try expander.begin(record, path: path)
      try reader.forEachChunk(reading, of: file) { (chunk, piece) throws(StoreError) in
        if run.shouldStop() { throw .interrupted }
        let range = reading.payloadRange(ofChunk: chunk)
        if range.isEmpty { return .enough }
        guard !piece.isEmpty else {
          hasGap = true
          return .enough
        }
        return try expander.pass(piece.extracting(first: range.count), path: path) {
          (piece) throws(StoreError) in
          do throws(StoreError) { try sink(piece) } catch {
            isSinkRefused = true
            throw error
          }
          return .more
        }
      }
      if !hasGap { try expander.finish(path: path) }
      return !hasGap
    } catch {
      // A frame that does not expand any further ends like one with a gap.
      guard !isSinkRefused, case .sealing(.zstd, _) = error else { throw error }
      return false
    }
  }
}

extension FileDescriptor {
  /// Says at the start of a gap how long it is; the rest of it stays zero.
  func mark(_ gap: Range<UInt64>) throws(UnpackFault) {
    let text = Array("[vaulttool: \(gap.count) bytes lost]".utf8.prefix(gap.count))
    try inTarget { () throws(SystemError) in try write(text.span, at: gap.lowerBound) }
  }
}
