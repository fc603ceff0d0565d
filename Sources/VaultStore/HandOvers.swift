package import VaultFormat
internal import VaultSealing

/// The compartments of a vault that were handed over to others, by its valid segments (spec §7.5).
package struct HandOvers: Sendable {
  /// A compartment that ended.
  package struct Closed: Sendable {
    package let signer: SignerKey
    /// The compartments that say they took over from it and were not handed over themselves, ascending; more than one is
    /// a conflict.
    package fileprivate(set) var successors: [CompartmentID]
    /// The segments that the hand-overs replace, there or not.
    fileprivate(set) var replaced: Set<SegmentID>
  }

  package private(set) var closed: [CompartmentID: Closed] = [:]

  package init() {}

  /// - Throws: `crypto`.
  init(
    _ segments: [CompartmentID: [LiveSegment]], vaultID: VaultID
  ) throws(StoreError) {
    for (compartment, segments) in segments {
      for segment in segments {
        for predecessor in segment.verified.file.head.predecessors {
          let id: CompartmentID
          do {
            id = try CompartmentKeys.compartmentID(vaultID: vaultID, signer: predecessor.signer)
          } catch {
            throw .crypto(error)
          }
          var known =
            closed[id] ?? Closed(signer: predecessor.signer, successors: [], replaced: [])
          if !known.successors.contains(compartment) { known.successors.append(compartment) }
          known.replaced.formUnion(segment.lists.replaces)
          closed[id] = known
        }
      }
    }
    let ended = Set(closed.keys)
    for id in ended {
      let last = closed[id]?.successors.filter { !ended.contains($0) }.sorted() ?? []
      closed[id]?.successors = last
    }
  }

  /// What the hand-overs replace in a compartment.
  func replaced(in compartment: CompartmentID) -> Set<SegmentID> {
    closed[compartment]?.replaced ?? []
  }

  /// The compartment that stands for one now: itself, or the one that took over; of several the least.
  package func successor(of compartment: CompartmentID) -> CompartmentID {
    closed[compartment]?.successors.first ?? compartment
  }
}
