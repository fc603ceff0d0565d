import Glibc
import Testing

extension BuiltProgram {
  /// Field cases I: limits of the system.
  @Suite struct Limited {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func fr127ThirtyTwoDescriptorsAreEnough() throws {
      let fill = """
        mkdir deep && cd deep && for i in $(seq 200); do mkdir d && cd d || exit 1; done
        echo bottom >note.md; cd "$0" && mkdir many && cd many && seq 2000 | split -l 1 -a 3 - n
        """
      let source = try place.source()
      try Disk.must(["/bin/bash", "-c", Name(fill), source], in: source)
      let vault = try place.emptyVault()
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let commands: [[Name]] = [
        ["pack", source, vault] + secret, ["verify", vault],
        ["verify", vault, "--unlock"] + secret,
        ["ls", vault] + secret, ["unpack", vault, place("out")] + secret,
        ["pack", source, vault] + secret,
      ]
      for command in commands {
        // What this process has open by inheritance would count too.
        let outcome = try Tool.program(
          [
            "/bin/bash", "-c",
            "for n in {3..200}; do eval \"exec $n>&-\"; done; ulimit -n 32; exec \"$@\"", "bash",
            Tool.path,
          ] + command)
        #expect(outcome.status == 0, "\(command[0]): \(outcome.errorText)")
      }
      let out = try Tree(place("out"))
      let whole = try Tree(source)
      #expect(out.differences(from: whole) == [])
    }

    @Test func fr129MemoryDoesNotGrowWithTheAttachment() throws {
      let source = try place.source()
      let byteCount = 300 << 20
      try Disk.must(["/usr/bin/truncate", "-s", "\(byteCount)", source / "large.bin"])
      let vault = try place.emptyVault()
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let commands: [[Name]] = [
        ["pack", source, vault, "--compress", "never"] + secret, ["verify", vault],
        ["verify", vault, "--unlock"] + secret, ["unpack", vault, place("out")] + secret,
        ["cat", vault, "large.bin"] + secret, ["salvage", vault, place("rescued")] + secret,
      ]
      for command in commands {
        let outcome = try Tool.script("peak-memory.py", [Tool.path] + command)
        #expect(outcome.status == 0, "\(outcome)")
        let peak = try #require(Int(outcome.text.split(separator: "\n").last ?? ""))
        #expect(peak <= 64 << 10, "\(command[0]) took \(peak) KiB")
      }
      let same = try Tool.program([
        "/usr/bin/cmp", source / "large.bin", place("out") / "large.bin",
      ])
      #expect(same.status == 0)
    }

    @Test func fr132AFullOrClosedOutputIsAnError() throws {
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let commands: [[Name]] = [
        ["ls", place.sample.vault, "--json"] + secret, ["verify", place.sample.vault],
        ["cat", place.sample.vault, "attachments/grain.png"] + secret,
        ["unpack", place.sample.vault, "-", "attachments/grain.png"] + secret,
        ["info", place.sample.vault],
      ]
      for command in commands {
        for end: Name in [">/dev/full", ">&-"] {
          let outcome = try Tool.program(
            ["/bin/sh", "-c", "exec \"$@\" " + end, "sh", Tool.path] + command)
          #expect(outcome.status == 1, "\(command[0]) \(end): \(outcome)")
          #expect(outcome.errorText.contains("cannot write the output"), "\(outcome)")
        }
      }
    }

    @Test func fr130AFileSizeLimitIsAnOrdinaryError() throws {
      let vault = try place.vault()
      let before = try Tree(vault, leavingOut: ["local"])
      let notes = try place.notes()
      try Disk.write([UInt8](repeating: 7, count: 3 << 20), to: notes / "big.bin")
      let packed = try Tool.program(
        [
          "/bin/sh", "-c", "ulimit -f 1024; exec \"$@\"", "sh", Tool.path, "pack", notes, vault,
          "--yes",
          "--compress", "never", "--passphrase-file", place.sample.passphraseFile,
        ])
      #expect(packed.status == 1 || packed.status == 3, "\(packed)")
      #expect(try place.verify(vault).status == 0)
      if packed.status == 1 {
        #expect(try Tree(vault, leavingOut: ["local"]).contents == before.contents)
      }
    }

    @Test(.enabled(if: SmallVolume.canBeMade))
    func fr130AFullDiskLeavesTheOldState() throws {
      let notes = try place.source(["small.md": "small"])
      let vault = try place.emptyVault()
      try place.must("pack", notes, vault)
      try Disk.write([UInt8](repeating: 7, count: 5 << 20), to: notes / "big.bin")
      let script = """
        cp -a "$VAULT" vault && cp -a vault before
        "$TOOL" pack "$NOTES" vault --yes --compress never --passphrase-file "$PASS"; echo "pack $?"
        rm -rf vault/local before/local
        diff -r vault before && echo same
        "$TOOL" verify vault --quiet; echo "verify $?"
        "$TOOL" pack "$NOTES" "$ROOMY" --yes --compress never --passphrase-file "$PASS" && rm -rf vault before
        "$TOOL" unpack "$ROOMY" out --passphrase-file "$PASS"; echo "unpack $?"; ls -A out | grep -v "^small.md$"
        """
      let outcome = try SmallVolume.run(
        script, size: "1m",
        environment: [
          "TOOL": Tool.path.text, "VAULT": vault.text, "NOTES": notes.text, "ROOMY": vault.text,
          "PASS": place.sample.passphraseFile.text,
        ])
      let lines = outcome.text.split(separator: "\n")
      #expect(lines == ["pack 1", "same", "verify 0", "unpack 1"], "\(outcome)")
      #expect(outcome.errorText.contains("disk is full"), "\(outcome)")
    }
  }
}

/// A volume with little room, for one script; made where the system lets us.
enum SmallVolume {
  static let canBeMade: Bool = {
    (try? run("true", size: "1m", environment: [:]))?.status == 0
  }()

  /// Runs a shell script in a new file system of this size that only the script sees.
  static func run(
    _ script: String, size: String, environment: [String: String]
  ) throws -> Outcome {
    let mount =
      "d=$(mktemp -d) && mount -t tmpfs -o size=\(size) none \"$d\" && cd \"$d\" || exit 99\n"
    return try Tool.program(
      [
        "/usr/bin/unshare", geteuid() == 0 ? "-m" : "-rm", "/bin/bash", "-c",
        Name(mount + script + "\ns=$?; cd /; umount \"$d\"; rmdir \"$d\"; exit $s"),
      ],
      environment: environment)
  }
}
