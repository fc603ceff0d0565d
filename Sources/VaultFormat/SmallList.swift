/// A list that needs no heap for none or one element, which nearly all lists of an index have.
package struct SmallList<Element> {
  fileprivate enum Storage {
    case none
    case one(Element)
    case many([Element])
  }

  private var storage = Storage.none

  /// The empty list.
  package init() {}

  /// A list of one element.
  package init(_ element: Element) { storage = .one(element) }

  /// The elements of an array, in its order.
  package init(_ elements: [Element]) {
    switch elements.count {
    case 0: storage = .none
    case 1: storage = .one(elements[0])
    default: storage = .many(elements)
    }
  }

  /// Adds an element at the end.
  package mutating func append(_ element: Element) {
    switch storage {
    case .none: storage = .one(element)
    case .one(let first): storage = .many([first, element])
    case .many(var elements):
      storage = .none  // so that the array is not shared and grows in place
      elements.append(element)
      storage = .many(elements)
    }
  }
}

extension SmallList: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .many(let elements): elements.count
    }
  }

  package subscript(index: Int) -> Element {
    switch storage {
    case .one(let element) where index == 0: return element
    case .many(let elements): return elements[index]
    case .none, .one: preconditionFailure("index outside the list")
    }
  }
}

extension SmallList: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension SmallList: Sendable where Element: Sendable {}
extension SmallList.Storage: Sendable where Element: Sendable {}

extension SmallList: Equatable where Element: Equatable {
  package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

extension SmallList: Hashable where Element: Hashable {
  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension SmallList where Element: Comparable {
  /// Whether each element is above the one before it.
  package var isStrictlyAscending: Bool {
    switch storage {
    case .none, .one: true
    case .many(let elements): elements.isStrictlyAscending
    }
  }
}

extension Array where Element: Comparable {
  /// Whether each element is above the one before it.
  var isStrictlyAscending: Bool {
    for index in indices.dropFirst() where self[index] <= self[index - 1] { return false }
    return true
  }
}
