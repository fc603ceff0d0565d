import Testing

@testable import VaultStore

@Suite(.timeLimit(.minutes(1))) struct SystemThreadsTests {
  private struct Fault: Error, Equatable {}

  /// A value that cannot be copied, as a derived key is.
  private struct Sealed: ~Copyable, Sendable {
    let number: Int
  }

  // MARK: - Workers

  @Test(arguments: [1, 2, 9]) func eachWorkerRunsOnceAndAllAreJoined(count: Int) throws {
    let seen = Monitor<[Int]>([])
    try Workers.run(count: count) { number in seen.change { $0.append(number) } }
    #expect(seen.change { $0.sorted() } == Array(0..<count))
  }

  @Test func workersRunAtTheSameTime() throws {
    let arrived = Monitor(0)
    // Each waits for all others, so this would not end if one ran after another.
    try Workers.run(count: 4) { _ in
      arrived.change { $0 += 1 }
      arrived.wait { $0 == 4 ? true : nil }
    }
    #expect(arrived.change { $0 } == 4)
  }

  @Test(arguments: [0, 1, 1_000]) func aQueueGivesEachNumberToOneWorker(count: Int) throws {
    let queue = WorkQueue(count: count)
    let seen = Monitor<[Int]>([])
    try Workers.run(count: 3) { _ in
      while let number = queue.next() { seen.change { $0.append(number) } }
    }
    #expect(seen.change { $0.sorted() } == Array(0..<count))
    #expect(queue.next() == nil)
  }

  @Test func aCancelledQueueGivesNothing() {
    let queue = WorkQueue(count: 5)
    #expect(queue.next() == 0)
    queue.cancel()
    #expect(queue.next() == nil)
  }

  // MARK: - Background tasks

  @Test func aTaskGivesItsResultEvenIfItCannotBeCopied() throws {
    let task = try BackgroundTask { Sealed(number: 7) }
    let sealed = task.wait()
    #expect(sealed.number == 7)
  }

  @Test func aTaskThrowsWhatItsBodyThrew() throws {
    #expect(throws: Fault()) {
      let task = try BackgroundTask { () throws(Fault) -> Int in throw Fault() }
      _ = try task.wait()
    }
  }

  @Test func aTaskThatNobodyWaitsForIsJoined() throws {
    let runs = Monitor(0)
    do {
      _ = try BackgroundTask { runs.change { $0 += 1 } }
    }
    #expect(runs.change { $0 } == 1)
  }

  @Test func aTaskHasRoomOnItsStackForAWorkBuffer() throws {
    let task = try BackgroundTask {
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 700_000) { buffer in
        unsafe buffer.initialize(repeating: 1)
        return unsafe buffer.reduce(0) { $0 + Int($1) }
      }
    }
    #expect(task.wait() == 700_000)
  }

  // MARK: - Channels

  @Test func aChannelKeepsTheOrderAndEndsWhenClosedAndEmpty() throws {
    let channel = Channel<Int>(capacity: 2)
    let task = try BackgroundTask {
      for number in 0..<100 { channel.put(number) }
      channel.close()
    }
    var taken: [Int] = []
    while let number = channel.take() { taken.append(number) }
    task.wait()
    #expect(taken == Array(0..<100))
    #expect(channel.take() == nil)
  }

  @Test func aChannelNeverHoldsMoreThanItsCapacity() throws {
    let channel = Channel<Int>(capacity: 3)
    let (put, taken) = (Monitor(0), Monitor(0))
    let mostAhead = Monitor(0)
    let task = try BackgroundTask {
      for number in 0..<200 {
        channel.put(number)
        let ahead =
          put.change {
            $0 += 1
            return $0
          } - taken.change { $0 }
        mostAhead.change { $0 = max($0, ahead) }
      }
      channel.close()
    }
    while channel.take() != nil { taken.change { $0 += 1 } }
    task.wait()
    // One more may be between being taken and being counted.
    #expect(mostAhead.change { $0 } <= 4)
  }

  @Test func eachElementGoesToOneOfManyTakers() throws {
    let channel = Channel<Int>(capacity: 4)
    let seen = Monitor<[Int]>([])
    try Workers.run(count: 4) { worker in
      if worker == 0 {
        for number in 0..<300 { channel.put(number) }
        channel.close()
      } else {
        while let number = channel.take() { seen.change { $0.append(number) } }
      }
    }
    #expect(seen.change { $0.sorted() } == Array(0..<300))
  }

  @Test func aClosedChannelTakesNothingMoreButGivesWhatItHolds() {
    let channel = Channel<Int>(capacity: 2)
    #expect(channel.put(1))
    channel.close()
    #expect(!channel.put(2))
    #expect(channel.take() == 1)
    #expect(channel.take() == nil)
  }

  @Test func cancellingDropsWhatIsInsideAndWakesWhoWaitsForRoom() throws {
    let channel = Channel<Int>(capacity: 1)
    channel.put(1)
    let isRunning = Channel<Bool>(capacity: 1)
    let task = try BackgroundTask {
      isRunning.put(true)
      return channel.put(2)
    }
    _ = isRunning.take()
    channel.cancel()
    #expect(task.wait() == false)
    #expect(channel.take() == nil)
  }

  @Test func cancellingWakesWhoWaitsForAnElement() throws {
    let channel = Channel<Int>(capacity: 1)
    let task = try BackgroundTask { channel.take() }
    channel.cancel()
    #expect(task.wait() == nil)
  }
}
