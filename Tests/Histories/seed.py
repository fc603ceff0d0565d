"""The vault that all histories of a run begin with, and the secret that opens it.

There is one vault, so that one `vaulttool unlock` serves every copy of it. It is kept as small git
repositories in all the forms that a history may begin with.
"""
import itertools
import json
import os
import shutil

import notes
from plain import Name, State
from programs import GIT_SETTINGS, Programs

PASSPHRASES = [b"first of three phrases", b"second of three phrases", b"third of three phrases"]
NOTE_COUNT = 3
# With this many segments the next packs make a compaction due (more than 16 of one size).
GROWN_EDITS = 14


class Form:
    """One repository to begin with: where the vault lies in it, and who merges clashing notes."""

    def __init__(self, folder, vault, has_driver, state, ids, passphrases):
        self.folder, self.vault, self.has_driver = folder, vault, has_driver
        self.state, self.ids, self.passphrases = state, ids, passphrases


class Seed:
    """All forms of the first vault. `has_session` tells whether commands find the key themselves."""

    def __init__(self, folder, tool, may_unlock):
        self.folder, self.tool, self.forms, self.has_session = folder, tool, [], False
        self._may_unlock = may_unlock
        self.passphrase_files = []
        for position, passphrase in enumerate(PASSPHRASES):
            path = os.path.join(folder, f"passphrase-{position}")
            with open(path, "wb") as file:
                file.write(passphrase)
            self.passphrase_files.append(path)
        self._programs = Programs(folder, tool)
        self._vault = os.path.join(folder, "notes.vault")
        self._make()

    def secret(self, passphrases):
        """The options that open a vault with one of these passphrases (their numbers)."""
        if self.has_session:
            return ()
        return ("--passphrase-file", self.passphrase_files[min(passphrases)])

    def form(self, choice):
        """One of the forms."""
        return self.forms[choice % len(self.forms)]

    def plain_form(self, choice):
        """A form without a merge driver."""
        forms = [form for form in self.forms if not form.has_driver]
        return forms[choice % len(forms)]

    def unlock(self):
        """Whether there is a session now, which needs the kernel's key ring."""
        done = self._programs.vaulttool(
            "unlock", self._vault, "--passphrase-file", self.passphrase_files[0],
            statuses=range(256))
        if done.returncode:
            return False
        return self._programs.vaulttool("ls", self._vault, statuses=range(256)).returncode == 0

    def lock(self):
        """Ends the session."""
        if self.has_session:
            self._programs.vaulttool("lock", self._vault, statuses=(0, 1))

    def _make(self):
        source = os.path.join(self.folder, "source")
        os.mkdir(source)
        contents = {note: notes.new_content(note, note, False) for note in range(NOTE_COUNT)}
        names = {note: Name(notes.PATHS[note], note) for note in range(NOTE_COUNT)}
        phrase = os.path.join(self.folder, "phrase")
        self._pack(source, contents, names, "--passphrase-file", self.passphrase_files[0],
                   "--phrase-out", phrase)
        self.has_session = self._may_unlock and self.unlock()
        self._keep("young", contents, names)
        for edit in range(GROWN_EDITS):
            note = edit % NOTE_COUNT
            contents[note] = notes.edited(contents[note], edit % 4, 100 + edit)
            self._pack(source, contents, names, "--passphrase-file", self.passphrase_files[0])
        self._keep("grown", contents, names)

    def _pack(self, source, contents, names, *secret):
        for note, content in contents.items():
            with open(os.path.join(source, names[note].path), "wb") as file:
                file.write(content)
        self._programs.vaulttool("pack", source, self._vault, "--yes", *secret)

    def _keep(self, age, contents, names):
        """Keeps the vault as it is now, in each form."""
        listing = self._programs.vaulttool(
            "ls", self._vault, "--json", "--passphrase-file", self.passphrase_files[0])
        by_path = {note["path"]: note["id"] for note in json.loads(listing.stdout)["notes"]}
        ids = {note: by_path[name.path] for note, name in names.items()}
        slots = [name for name in os.listdir(os.path.join(self._vault, "index"))
                 if name.endswith(".slot")]
        listed = json.loads(self._programs.vaulttool(
            "slot", "list", self._vault, "--json").stdout)["slots"]
        passphrases = {slot["locator"]: 0 for slot in listed if slot["purpose"] == "passphrase"}
        assert len(slots) == len(listed), "the seed vault has a slot that is not listed"
        state = State(dict(contents), dict(names))
        for vault, has_driver in itertools.product(("notes.vault", "."), (False, True)):
            folder = os.path.join(self.folder, f"{age}-{'top' if vault == '.' else 'below'}-"
                                               f"{'driver' if has_driver else 'plain'}")
            self._make_repository(folder, vault, has_driver)
            self.forms.append(Form(folder, vault, has_driver, state, ids, passphrases))

    def _make_repository(self, folder, vault, has_driver):
        """Makes one form."""
        inside = os.path.join(folder, vault)
        shutil.copytree(self._vault, inside, ignore=shutil.ignore_patterns("local"))
        repository = Programs(folder, self.tool)
        repository.git("init", "-q", "--template=", "-b", "A")
        settings = "".join(
            "[{}]\n\t{} = {}\n".format(*key.split("."), value)
            for key, value in GIT_SETTINGS.items())
        with open(os.path.join(folder, ".git", "config"), "a") as file:
            file.write(settings)
        os.mkdir(os.path.join(folder, ".git", "info"))
        if has_driver:
            source = [] if self.has_session else [
                "--passphrase-command", "cat " + self.passphrase_files[0]]
            repository.vaulttool("git", "setup", vault, *source)
        repository.git("add", "-A")
        repository.git("commit", "-q", "-m", "the first notes")
