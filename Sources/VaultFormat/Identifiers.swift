/// The vault id, random (spec §4).
package typealias VaultID = Bytes16<VaultIDKind>
/// Names a compartment: the front of the SHA-256 that commits to its signer (spec §5.3).
package typealias CompartmentID = Bytes16<CompartmentIDKind>
/// Names a note; random, never changes (spec §1).
package typealias NoteID = Bytes16<NoteIDKind>
/// Names a segment: the front of the SHA-256 of its file (spec §7).
package typealias SegmentID = Bytes16<SegmentIDKind>
/// The front of a state: of a digest, or all of a grave (spec §7.1).
package typealias StatePrefix = Bytes16<StatePrefixKind>
/// The mark of one deletion, random (spec §7.1).
package typealias Grave = Bytes16<GraveKind>

/// The digest of a file (spec §6.3), or a SHA-256.
package typealias Digest = Bytes32<DigestKind>
/// A random salt.
package typealias Salt = Bytes32<SaltKind>
/// Names a slot: derived from its secret (spec §5.2).
package typealias Locator = Bytes32<LocatorKind>
/// The Ed25519 public key that signs a compartment's segments (spec §5.3).
package typealias SignerKey = Bytes32<SignerKeyKind>
/// What a sealed file or segment commits its key with (spec §5.3). Compare it in constant time.
package typealias Commitment = Bytes32<CommitmentKind>

/// The meaning of `VaultID`.
package enum VaultIDKind {}
/// The meaning of `CompartmentID`.
package enum CompartmentIDKind {}
/// The meaning of `NoteID`.
package enum NoteIDKind {}
/// The meaning of `SegmentID`.
package enum SegmentIDKind {}
/// The meaning of `StatePrefix`.
package enum StatePrefixKind {}
/// The meaning of `Grave`.
package enum GraveKind {}
/// The meaning of `Digest`.
package enum DigestKind {}
/// The meaning of `Salt`.
package enum SaltKind {}
/// The meaning of `Locator`.
package enum LocatorKind {}
/// The meaning of `SignerKey`.
package enum SignerKeyKind {}
/// The meaning of `Commitment`.
package enum CommitmentKind {}

extension Bytes32 where Kind == DigestKind {
  /// The first 16 bytes, by which entries supersede a state (spec §7.1).
  package var prefix: StatePrefix { front(as: StatePrefix.self) }

  /// The first 16 bytes of a whole segment's SHA-256: the segment's id (spec §7).
  package var segmentID: SegmentID { front(as: SegmentID.self) }

  /// The first 16 bytes of the SHA-256 that names a compartment (spec §5.3).
  package var compartmentID: CompartmentID { front(as: CompartmentID.self) }
}
