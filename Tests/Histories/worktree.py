"""One repository with a vault in it: what a person does there with vaulttool and git."""
import json
import os
import shutil

import notes
from programs import Programs


class WorkTree:
    """A copy of one of the seed's repositories, and a folder of notes beside it."""

    def __init__(self, seed, form, folder):
        self.seed, self.form = seed, form
        self.path = os.path.join(folder, "repository")
        self.notes = os.path.join(folder, "notes")
        shutil.copytree(form.folder, self.path)
        self.vault = form.vault
        self.programs = Programs(self.path, seed.tool)
        self.git = self.programs.git
        self.branch = "A"
        self.ids = dict(form.ids)  # note -> note id; only grows
        self.slots = dict(form.passphrases)  # locator -> number of the passphrase; only grows

    # Files

    def inside(self, *parts):
        """A path in the vault."""
        return os.path.normpath(os.path.join(self.path, self.vault, *parts))

    def sealed(self, note):
        """The path of a note's sealed file, as git names it."""
        name = self.ids[note]
        return os.path.normpath(os.path.join(self.vault, "notes", name[:2], name + ".sealed"))

    def note_at(self, path):
        """The note whose sealed file has this path; None where there is none."""
        name = os.path.basename(path)
        by_id = {value: note for note, value in self.ids.items()}
        return by_id.get(name[:-len(".sealed")]) if name.endswith(".sealed") else None

    def segments(self):
        """The names of the segments."""
        return {name for name in os.listdir(self.inside("index")) if name.endswith(".seg")}

    def locators(self):
        """The slots that are there."""
        names = os.listdir(self.inside("index"))
        return {name[:-len(".slot")] for name in names if name.endswith(".slot")}

    # vaulttool

    def secret(self):
        """The options that open the vault as it is now."""
        return self.seed.secret(self.passphrases())

    def passphrases(self):
        """The numbers of the passphrases that open the vault as it is now."""
        return {self.slots[name] for name in self.locators() if name in self.slots}

    def vaulttool(self, *arguments, statuses=(0,)):
        """Runs a command that needs the key."""
        refused = (4,) if self.seed.has_session else ()
        done = self.programs.vaulttool(*arguments, *self.secret(), statuses=statuses + refused)
        if done.returncode in statuses:
            return done
        self.seed.unlock()  # the session ran out, or somebody else's `vaulttool lock` ended it
        return self.programs.vaulttool(*arguments, statuses=statuses)

    def findings(self):
        """What `verify` finds without a key, as (code, path)."""
        done = self.programs.vaulttool("verify", self.vault, "--json", statuses=(0, 5))
        report = json.loads(done.stdout)
        return [(finding["code"], finding.get("path", "")) for finding in report["findings"]
                if finding["severity"] == "error"]

    def pack(self):
        """Packs the folder of notes; returns the report's changes."""
        done = self.vaulttool("pack", self.notes, self.vault, "--yes", "--json")
        report = json.loads(done.stdout)
        assert not report["problems"] and not report["kept"], report
        return report["changes"]

    def list(self):
        """What `ls` says: shown path -> note id, files only."""
        report = json.loads(self.vaulttool("ls", self.vault, "--json").stdout)
        return {note["path"]: note["id"] for note in report["notes"] if note["type"] == "file"}

    def unpack(self):
        """Unpacks everything into a new folder of notes: shown path -> content.

        The next pack then knows nothing of earlier ones, as in a fresh clone.
        """
        shutil.rmtree(self.notes, ignore_errors=True)
        shutil.rmtree(self.inside("local"), ignore_errors=True)
        self.vaulttool("unpack", self.vault, self.notes)
        return notes.read_folder(self.notes)

    def reconcile(self, *accept):
        """Runs `git reconcile`. Returns what it leaves undone, as the report says it."""
        done = self.vaulttool("git", "reconcile", self.vault, "--json", *accept, statuses=(0, 5))
        report = json.loads(done.stdout)
        return done.returncode, report

    # git

    def check_out(self, branch):
        """Makes the work tree that of a branch."""
        if branch != self.branch:
            self.git("checkout", "-q", branch)
            self.branch = branch

    def head(self):
        """The commit that the branch stands at."""
        with open(os.path.join(self.path, ".git", "refs", "heads", self.branch)) as file:
            return file.read().strip()

    def is_stopped(self):
        """Whether a merge waits for its conflicts to be settled."""
        return os.path.exists(os.path.join(self.path, ".git", "MERGE_HEAD"))

    def commit(self, message):
        """Commits everything that is in the work tree."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def unmerged(self):
        """The paths in conflict: path -> set of the sides that have a file (1 base, 2, 3)."""
        sides = {}
        for line in self.git("ls-files", "-u", "-z").stdout.decode().split("\0"):
            if line:
                about, path = line.split("\t", 1)
                sides.setdefault(path, set()).add(int(about.split()[2]))
        return sides

    def take(self, side, path, has_file):
        """Settles a conflict by one side ('ours' or 'theirs')."""
        if has_file:
            self.git("checkout", "-q", "--" + side, "--", path)
        elif os.path.exists(os.path.join(self.path, path)):
            os.remove(os.path.join(self.path, path))
            self.programs.lines.append(f"rm {path}")
