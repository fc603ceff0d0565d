import Testing

extension BuiltProgram {
  /// Field cases F: what sync tools and careless copies leave.
  @Suite struct Clutter {
    private let place: Workplace
    private let vault: Name

    init() throws {
      place = try Workplace()
      vault = try place.vault()
    }

    private func codes() throws -> [String] {
      let outcome = try place.verify(vault, "--json")
      #expect(outcome.status == 5, "\(outcome)")
      return try JSON(outcome.output)["findings"].list?.compactMap { $0["code"].string } ?? []
    }

    private func slot() throws -> Name {
      try #require(Disk.names(in: vault / "index").first { $0.text.hasSuffix(".slot") })
    }

    @Test func fr093StraySlotsAreReportedAndTheProperOneIsUsed() throws {
      let slot = try slot()
      let copy = Name(String(slot.text.dropLast(5)) + " (copy).slot")
      try Disk.copy(vault / "index" / slot, to: vault / "index" / copy)
      let another = Tool.repository / "fixtures/vaults/v1/basic/vault/index"
      let foreign = try #require(Disk.names(in: another).first { $0.text.hasSuffix(".slot") })
      try Disk.copy(another / foreign, to: vault / "index" / foreign)
      let empty = Name(String(repeating: "0", count: 64) + ".slot")
      try Disk.write("", to: vault / "index" / empty)
      let found = Set(try codes())
      #expect(found.isSuperset(of: ["foreign-file", "foreign-vault", "empty-file"]), "\(found)")
      let outcome = try place.run("unpack", vault, place("out"))
      #expect(try Tree(place("out")).contents == Tree(place.sample.notes).contents, "\(outcome)")
    }

    @Test func aLostSlotIsFoundInItsSpare() throws {
      for slot in try Disk.names(in: vault / "index") where slot.text.hasSuffix(".slot") {
        try Disk.remove(vault / "index" / slot)
      }
      #expect(try codes().contains("slot-missing"))
      let outcome = try place.run("unpack", vault, place("out"))
      #expect(try Tree(place("out")).contents == Tree(place.sample.notes).contents, "\(outcome)")
    }

    @Test func fr096WhatIsThereOfAHalfSyncedVaultIsUnpacked() throws {
      let sealed = try Damage.files(of: vault).filter { $0.text.hasSuffix(".sealed") }
      let missing = sealed.indices.filter { $0.isMultiple(of: 2) }.map { sealed[$0] }
      for path in missing { try Disk.remove(vault / path) }
      #expect(try codes() == Array(repeating: "note-missing", count: missing.count))
      let outcome = try place.run("unpack", vault, place("out"), "--json")
      #expect(outcome.status == 5)
      // Every missing note is named, and no more; a folder is made all the same, as the index says.
      let all = try Tree(place.sample.notes)
      let out = try Tree(place("out"))
      for (path, entry) in out.entries { #expect(entry.kind == all.entries[path]?.kind, "\(path)") }
      let report = try JSON(outcome.output)
      let named = (report["problems"].list ?? []).compactMap { $0["path"].string.map { Name($0) } }
      #expect(Set(named).union(out.paths) == Set(all.paths), "\(outcome)")
      let folders = Set(all.paths.filter { all.entries[$0]?.kind == .folder })
      #expect(Set(named).subtracting(folders).isDisjoint(with: out.paths))
      #expect(report["failed"].int == named.count && !named.isEmpty)
    }

    @Test func fr096AHalfSyncedVaultIsNotPackedInto() throws {
      let sealed = try #require(Damage.files(of: vault).first { $0.text.hasSuffix(".sealed") })
      try Disk.remove(vault / sealed)
      let before = try Tree(vault)
      let outcome = try place.run("pack", place.sample.laterNotes, vault, "--yes")
      #expect(outcome.status == 5, "\(outcome)")
      #expect(try Tree(vault) == before)
    }

    @Test func fr097PlaceholdersOfSyncToolsAreNamedAndNeverDropped() throws {
      let sealed = try #require(Damage.files(of: vault).first { $0.text.hasSuffix(".sealed") })
      let parts = sealed.text.split(separator: "/")
      let stub = Name("\(parts[0])/\(parts[1])/.\(parts[2]).icloud")
      try Disk.remove(vault / sealed)
      try Disk.write("bplist00", to: vault / stub)
      #expect(try codes().contains("not-downloaded"))
      let before = try Tree(vault)
      let outcome = try place.run("pack", place.sample.laterNotes, vault, "--yes")
      #expect(outcome.status == 5, "\(outcome)")
      #expect(try Tree(vault) == before)
    }

    @Test func fr097APlaceholderInTheSourceIsNotAnEmptiedNote() throws {
      let notes = try place.notes()
      let fresh = try place.emptyVault("fresh")
      try place.must("pack", notes, fresh)
      try Disk.remove(notes / "Welcome.md")
      try Disk.write("bplist00", to: notes / ".Welcome.md.icloud")
      let outcome = try place.run("pack", notes, fresh)
      #expect(outcome.status == 3, "\(outcome)")
      #expect(try place.must("ls", fresh).text.split(separator: "\n").contains("Welcome.md"))
    }

    @Test func fr112GarbageInTheLocalFolderBlocksNothing() throws {
      for garbage in ["", "garbage", String(repeating: "x", count: 10_000)] {
        for name in try Disk.names(in: vault / "local") {
          try Disk.write(garbage, to: vault / "local" / name)
        }
        #expect(try place.verify(vault).status == 0)
        try place.must("pack", place.sample.notes, vault)
        #expect(try place.verify(vault).status == 0)
      }
      #expect(try place.unpacked(vault).contents == Tree(place.sample.notes).contents)
    }

    @Test func fr124AVaultNeedsNothingOutsideItself() throws {
      try Disk.removeAll(vault / "local")
      for secret: [Name] in [
        ["--passphrase-file", place.sample.passphraseFile],
        ["--phrase-file", place.sample.phraseFile],
      ] {
        let outcome = try Tool.program(
          ["/usr/bin/env", "-i", Tool.path, "ls", vault] + secret, in: place.path)
        #expect(outcome.status == 0, "\(outcome)")
      }
    }

    @Test func fr091AnUnreadableIndexIsNotANewVault() throws {
      for path: Name in ["VAULT", "index"] {
        let copy = try place.vault("unreadable " + path)
        try Disk.setMode(0, of: copy / path)
        let outcome = try Privilege.run([
          "pack", place.sample.notes, copy, "--yes", "--passphrase-file",
          place.sample.passphraseFile,
        ])
        #expect(outcome.status == 1, "\(outcome)")
        try Disk.setMode(0o700, of: copy / path)
        #expect(try Disk.read(copy / "VAULT") == Disk.read(vault / "VAULT"))
        #expect(try place.verify(copy).status == 0)
      }
    }
  }
}
