package import VaultFormat

/// The content register of one note, slot or companion: what is stated and what is superseded (spec §7.2).
package struct Register: Equatable, Sendable {
  /// All states that live segments state, ascending.
  package private(set) var stated: [State] = []
  /// The first 16 bytes of all states that live segments supersede, ascending.
  package private(set) var superseded: [StatePrefix] = []
  /// The highest place version, 0 when no live segment says anything about the place.
  package private(set) var placeVersion: UInt64 = 0
  /// The second highest place version, to notice a jump.
  package private(set) var placeVersionBelow: UInt64 = 0

  package init() {}

  /// Takes in one entry of a live segment. The result does not depend on the order of the entries.
  package mutating func join(_ entry: IndexEntry) {
    for state in entry.states { Self.insert(state, into: &stated) }
    for prefix in entry.over { Self.insert(prefix, into: &superseded) }
    if entry.placeVersion > placeVersion {
      placeVersionBelow = placeVersion
      placeVersion = entry.placeVersion
    } else if entry.placeVersion < placeVersion {
      placeVersionBelow = max(placeVersionBelow, entry.placeVersion)
    }
  }

  /// The states that nobody supersedes: one in a healthy vault, several in a conflict.
  package var current: [State] { stated.filter { !isSuperseded($0.prefix) } }

  /// The one current state, or nil when there are several or none. Several graves are one: whoever deleted it, it is
  /// deleted.
  package var onlyCurrent: State? {
    let states = current
    return states.count == 1 || !states.contains(where: \.isFile) ? states.first : nil
  }

  /// Whether a person has to choose between several current states.
  package var isConflicted: Bool { onlyCurrent == nil && !current.isEmpty }

  /// Whether a current state is a file.
  package var isAlive: Bool {
    stated.contains { if case .file = $0 { !isSuperseded($0.prefix) } else { false } }
  }

  /// Whether this state was current once and no longer is.
  package func isSuperseded(_ prefix: StatePrefix) -> Bool {
    Self.position(of: prefix, in: superseded).found
  }

  private static func insert<T: Comparable>(_ value: T, into list: inout [T]) {
    if list.isEmpty {
      list = [value]  // an exact fit: most registers hold one state for ever
      return
    }
    let (index, found) = position(of: value, in: list)
    if !found { list.insert(value, at: index) }
  }

  private static func position<T: Comparable>(of value: T, in list: [T]) -> (
    index: Int, found: Bool
  ) {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < value { low = middle + 1 } else { high = middle }
    }
    return (low, low < list.count && list[low] == value)
  }
}
