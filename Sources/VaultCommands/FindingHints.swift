import VaultFormat
import VaultStore

extension Finding.Code {
  /// What a person does next about a finding; nil where there is nothing to do.
  var hint: String? {
    switch self {
    case .unreadable: "check the permissions and the disk, then verify again"
    case .notARegularFile: "remove it and restore the file from a copy or from git"
    case .foreignFile:
      "'vaulttool verify --repair' if it is a copy that a sync tool made; else move it out of the vault; if it is a plain note that was shared, treat it as read"
    case .notDownloaded: "let the sync tool download the file, then verify again"
    case .misnamed:
      "give the file its own name back ('vaulttool verify --repair'), or restore it from a copy or from git"
    case .cutFile, .extraBytes:
      "if it is a note that you have just packed, commit all of the vault ('git add -A'), its new segment too; "
        + "after a merge: 'vaulttool git reconcile'; else restore the file from a copy or from git"
    case .emptyFile, .malformed:
      "restore the file from a copy or from git; 'vaulttool verify --repair' does so for slots and VAULT"
    case .textDamage:
      "restore the file with the vault's own .gitattributes in place, so that git leaves it alone"
    case .utf16: "restore the file from a copy or from git, and keep text tools away from it"
    case .largeFilePointer:
      "fetch the content ('git lfs pull'); a vault needs no large-file storage"
    case .mergeMarkers:
      "take one side of the merge as a whole ('git checkout --ours' or '--theirs')"
    case .newerVersion: "install a newer vaulttool; this one reads format version 1"
    case .foreignVault: "move the file back to its own vault"
    case .badSignature, .wrongSigner:
      "trust nothing that only this file says; restore it from a copy or from git"
    case .headerDiffers:
      "'vaulttool verify --repair' rebuilds VAULT from the slots; or restore it from a copy or from git"
    case .segmentMissing:
      "restore the file from a copy or from git; was it left out of a commit? After a cherry-pick or "
        + "revert, or if it is gone for good: 'vaulttool git reconcile'"
    case .tooMany: "move the surplus files out of the vault"
    case .noIndex:
      "restore the folder index/ from a copy or from git; if it is gone for good: 'vaulttool verify --repair --unlock'"
    case .slotMissing, .companionMissing:
      "'vaulttool verify --repair', or restore the file from a copy or from git"
    case .noteMissing:
      "restore the file from a copy or from git; was it left out of a commit, or of a sparse "
        + "checkout ('git sparse-checkout disable')? If it was deleted on purpose: 'vaulttool git reconcile'"
    case .slotChanged, .companionChanged:
      "'vaulttool verify --repair', or restore the file from a copy or from git"
    case .noteChanged:
      "if you have just packed, commit all of the vault ('git add -A'), its new segment too; after a merge or "
        + "cherry-pick: 'vaulttool git reconcile'; else restore the file from a copy or from git"
    case .noteSuperseded:
      "restore the newer version from a copy or from git; if the older one is meant, as after a revert: "
        + "'vaulttool git reconcile'"
    case .slotSuperseded, .companionSuperseded:
      "restore the newer version from a copy or from git"
    case .noteUnlisted:
      "restore the segment that lists it; if that is gone for good: 'vaulttool verify --repair --unlock'"
    case .slotUnlisted:
      "restore the segment that lists it; if that is gone for good and the slot is yours: 'vaulttool git "
        + "reconcile' lists it again (--accept); only one that opens with no secret of yours, or that was put back "
        + "after a re-keying, may be moved out of the vault"
    case .companionUnlisted:
      "restore the segment that lists it; if that is gone for good: 'vaulttool git reconcile' lists it again "
        + "(--accept)"
    case .noteDeleted:
      "move the file out of the vault; if it is meant to be back, as after a revert: 'vaulttool git "
        + "reconcile'"
    case .slotDeleted, .companionDeleted: "move the file out of the vault"
    case .noteConflict, .slotConflict, .companionConflict:
      "take one side where git asks ('git checkout --ours' or '--theirs'), then 'vaulttool git reconcile'"
    case .spareMissing, .spareDiffers: "'vaulttool verify --repair' writes it again from index/"
    case .spareUnlisted: "restore its slot in index/ from this copy"
    case .unfinishedCommit:
      "run any command that writes, such as 'vaulttool pack' or 'vaulttool verify --repair': it completes the run, or says that notes/ or "
        + "the staged files were changed since; then restore notes/ and staging/ from a copy or from git"
    case .leftover:
      "the next command that writes, such as 'vaulttool pack', or 'vaulttool verify --repair' removes it"
    case .signerUnpinned:
      "ask the owner for the signer's fingerprint by another way before you trust the vault"
    case .signerAbsent: "check the fingerprint and that this is the right vault"
    case .handedOver:
      "ask the owner whether the vault was re-keyed, by another way than the vault, and pin the new fingerprint"
    case .closedCompartment:
      "bring what that branch changed over by hand: check it out, unpack it, and pack its notes here; then "
        + "undo the merge of its segment"
    case .handOverConflict:
      "keep one of the two branches; if nobody re-keyed the other one, the old key is in wrong hands"
    case .placeJump: "ask who renamed the note; an honest rename counts up by one"
    case .historyRewritten:
      "find out who moved the branch back or replaced its commits, and compare with a clone of your own"
    case .headerChanged, .compartmentDropped, .segmentDropped:
      "restore index/ and VAULT as they were in that commit ('git checkout REV -- index VAULT'), and find out who "
        + "removed them; after a revert of your own that, and then 'vaulttool git reconcile --all'"
    case .segmentExcused: "compare the notes of both commits; the owner accepted the loss"
    case .stateForgotten:
      "restore index/ as it was in that commit ('git checkout REV -- index'); after a revert of your own then "
        + "'vaulttool git reconcile --all'; else find out who removed it"
    case .policyIterations:
      "'vaulttool rewrap' writes the slot again with more iterations; if nobody lowered them on purpose, ask who did"
    case .policyPadding:
      "ask who sealed this note and with what; pack it again with vaulttool, which pads"
    case .policyFileSize: "make the attachment smaller or keep it elsewhere"
    case .policySigner: "ask the owner who signs this compartment, by another way than the vault"
    case .policyCompanion:
      "look at what was changed (git log); if it was meant, take the rule out of the policy"
    case .sealBroken: "restore the file from a copy or from git"
    case .recordDiffers: "restore the file or the segments from a copy or from git"
    case .unsafePath: "do not unpack this note with other tools; ask who made it"
    case .nameConflict: "rename one of the two"
    case .lockedCompartment: "verify again with the secret of that compartment"
    case .slotPassedOver: "a newer vaulttool may know this slot"
    case .notChecked: nil
    }
  }
}

extension VerifyReport.Unchecked {
  /// What was not checked, and what would check it.
  var text: String {
    switch self {
    case .contents: "that the notes decrypt to what the index says (--unlock checks it)"
    case .signer: "that the signer is the owner (--signer checks it)"
    case .freshness: "that nobody withheld a newer state of the vault"
    case .localFolder: "local/, which belongs to this machine"
    case .repositoryFile(let name): "\(DisplayName(name)), a file of the repository"
    case .otherShards(let shard):
      "shard \(shard.number) of \(shard.count): the notes of the others were not checked"
    case .compartment(let id): "the notes of compartment \(id.hex), which the secret does not open"
    case .ancestry:
      "that the earlier commit belongs to the history of this one: the clone is shallow, or has no commit yet"
    case .handOver(let id):
      "that no note was lost when compartment \(id.hex) was re-keyed: its notes have new ids"
    }
  }
}

extension VerifyReport.Signature {
  /// What the signatures prove, in words that scripts may look for (spec/command-line.md).
  var text: String {
    switch self {
    case .selfConsistent: "self-consistent, signer not pinned"
    case .pinned: "pinned"
    case .notAsPinned: "not by the pinned signer"
    case .broken: "broken"
    }
  }
}
