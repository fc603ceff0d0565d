"""Plays one random history with the real programs beside the plain model, and compares."""
import collections
import os

import notes
import plain
from plain import Name, State
from worktree import WorkTree

BRANCHES = "ABCD"
# These leave segments out, or put old files back: what `reconcile` only does with a person's consent.
NEEDS_CONSENT = ("restore", "cherry_pick", "revert", "rebase", "squash")


class Problem(Exception):
    """The tool and the model disagree. `code` is a few words that stay the same between runs."""

    def __init__(self, code, detail=""):
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code


class History:
    """One history. `story` tells it, `counts` counts what happened."""

    def __init__(self, seed, form, folder, kind, mistake=None):
        self.tree = WorkTree(seed, form, folder)
        self.kind, self.mistake = kind, mistake
        self.graph, self.counts, self.story = plain.Graph(), collections.Counter(), []
        self.in_conflict = plain.as_driver if form.has_driver else plain.as_plain_git
        self.next_note = 1 + max(form.state.contents)
        self.next_token = 1000
        self.paths = {note: {name.path} for note, name in form.state.names.items()}
        self.ever_deleted = set()
        self.shown = {}  # note -> name it is shown under in the folder of notes
        self.unpacked = None  # number of the commit that the folder of notes is equal to
        first = self.graph.add((), form.state, self.tree.head(), "first", True)
        self.tips = [first]

    def play(self, operations):
        """Plays all operations, then merges all branches; raises Problem at the first difference."""
        for operation in operations:
            self._play_one(operation)
        self._end()

    def _play_one(self, operation):
        name, branch, *numbers = operation
        getattr(self, "_" + name)(branch % len(self.tips), *numbers)

    # Telling

    def _tell(self, branch, text):
        lines, self.tree.programs.lines = self.tree.programs.lines, []
        self.story += [(f"{BRANCHES[branch]}: {text}", lines)]

    def new_token(self):
        self.next_token += 1
        return self.next_token

    # Comparing

    def _compare_names(self, shown, state, unsure):
        """Holds the names that vaulttool shows against the model's; returns the state with them.

        shown: note -> shown name. unsure: notes whose name may be any that they once had.
        """
        names = dict(state.names)
        for note, name in shown.items():
            expected = names[note].path if note in names else None
            if name == expected:
                continue
            path, digits = notes.without_mark(name)
            if path != expected:
                if note not in unsure or path not in self.paths[note]:
                    raise Problem("wrong name", f"note {note} is '{name}', not '{expected}'")
                names[note] = Name(path, self.new_token())
                self.counts["names that the vault decided"] += 1
            if digits is None:
                continue
            self.counts["notes shown with a conflict in their name"] += 1
            if not self.tree.ids[note].startswith(digits):
                raise Problem("wrong name", f"note {note} is '{name}', id {self.tree.ids[note]}")
            others = [notes.without_mark(other)[0] for key, other in shown.items() if key != note]
            is_shared = any(o == path or o.startswith(path + "/") for o in others)
            if not is_shared and not os.path.isdir(os.path.join(self.tree.notes, path)):
                raise Problem("wrong name", f"note {note} is '{name}' and nothing else is there")
        return State(state.contents, names)

    def _compare(self, state, unsure, sources):
        """Unpacks the vault and compares it with the state; returns the state with what it decided.

        sources: note -> contents that its content must be made of, where the merge driver merged.
        """
        found, contents = {}, dict(state.contents)
        for path, content in self.tree.unpack().items():
            note = notes.number_of(content)
            if note is None or note in found:
                raise Problem("a note too many", f"'{path}' holds {content[:60]!r}")
            found[note] = path
            if note not in contents:
                raise Problem("a deleted note came back", f"note {note} as '{path}'")
            if content == contents[note]:
                continue
            if note not in sources or not notes.is_made_of(content, sources[note]):
                raise Problem("wrong content", f"note {note}: {content!r}, not {contents[note]!r}")
            contents[note] = content
        for note in contents:
            if note not in found:
                raise Problem("a note is lost", f"note {note}, '{state.names[note].path}'")
        if not self.tree.passphrases():
            raise Problem("no passphrase opens the vault any more")
        self.shown = found
        return self._compare_names(found, State(contents, state.names), unsure)

    def _learn_ids(self):
        """After a pack: ids of new notes, and whether all others kept theirs."""
        by_path = self.tree.list()
        for note, path in self.shown.items():
            if path not in by_path:
                path = next((p for p, value in by_path.items()
                             if value == self.tree.ids.get(note)), path)
            if path not in by_path:
                raise Problem("a note is lost", f"note {note}, '{path}' is not listed")
            if self.tree.ids.setdefault(note, by_path[path]) != by_path[path]:
                raise Problem("a note has another id", f"note {note}, '{path}'")
            self.shown[note] = path
        if len(by_path) != len(self.shown):
            raise Problem("a note too many", str(sorted(by_path)))

    # From an operation to a commit

    def _finish(self, branch, parents, state, kind, text, conflicts=(), unsure=(), sources=None,
                was_clean=True, choice=0, is_committed=False):
        """Verifies what an operation left, reconciles where that is due, compares and commits."""
        self.counts[kind] += 1
        self._make_mistake_in_files(kind)
        findings = self.tree.findings()
        if conflicts:
            self.counts["with files in conflict"] += 1
            text += ", in conflict: " + ", ".join(f"note {note}" for note in sorted(conflicts))
        if findings:
            text += "; verify: " + ", ".join(" ".join(finding) for finding in findings)
            self._judge(findings, kind, conflicts, was_clean)
        must_settle = bool(sources) or choice < 0
        if findings and choice % 4 == 3 and not must_settle:
            # A person who forgets: committed as it is.
            if not is_committed:
                self._commit(text)
            self._record(branch, parents, state, kind, False, text + " (left so)")
            return
        between = None  # the commit before a reconciliation that becomes a commit of its own
        if findings:
            if choice % 2 and not is_committed and not sources:
                self._commit(text)
                is_committed = True
            between = self.tree.head() if is_committed else None
            self._tell(branch, text)
            text = self._reconcile(kind, was_clean, choice)
        if kind not in ("pack", "compact", "rewrap"):
            state = self._compare(state, unsure, sources or {})
        if between:
            parents = (self.graph.add(parents, state, between, kind, False),)
            kind, is_committed = "reconcile", False
        if not is_committed:
            self._commit(text)
        self._record(branch, parents, state, kind, True, text)
        if kind not in ("pack", "compact", "rewrap"):
            self.unpacked = self.tips[branch].number

    def _message(self, text):
        """A commit message of its own: else equal commits of one second would be the same commit."""
        return f"{len(self.graph.commits)}: {text}"

    def _commit(self, text):
        self.tree.commit(self._message(text))

    def _record(self, branch, parents, state, kind, is_clean, text):
        commit = self.graph.add(parents, state, self.tree.head(), kind, is_clean)
        self.tips[branch] = commit
        if text is not None:
            self._tell(branch, text)
        return commit

    def _judge(self, findings, kind, conflicts, was_clean):
        """Whether verify may find something after an operation."""
        if kind in ("pack", "compact", "rewrap"):
            raise Problem(f"verify is not clean after {kind}", findings)
        if conflicts or not was_clean or kind in NEEDS_CONSENT:
            return
        # Two branches decided one deletion differently: the exception of the design.
        decided = all(
            code == "note-conflict" and self.tree.note_at(path) in self.ever_deleted
            for code, path in findings)
        self.counts[f"merges without a file in conflict that wait for reconcile ({self.kind})"] += 1
        if not decided and self.kind == "merging":
            raise Problem("verify is not clean after a merge without a conflict", findings)

    def _reconcile(self, kind, was_clean, choice):
        """Runs `git reconcile` until the vault is clean; returns a text."""
        self.counts["reconcile"] += 1
        status, report = self.tree.reconcile()
        text = "reconcile"
        if status == 5:
            is_alone = kind in ("merge", "octopus") and was_clean and self.kind == "merging"
            if is_alone:
                raise Problem("reconcile leaves a conflict unsettled", report)
            self.counts["reconcile with consent"] += 1
            accepted = self._consent(report) if choice % 3 else ["--all"]
            status, report = self.tree.reconcile(*accepted)
            text += " " + " ".join(accepted)
        if status and all(".slot" in path for _, path in self.tree.findings()):
            # A re-wrapping was taken back: the passphrase that opens gets a slot first, as it says.
            self._new_slot(min(self.tree.passphrases()))
            status, report = self.tree.reconcile("--all")
            text += ", rewrap, reconcile --all"
        if status:
            raise Problem("reconcile leaves something though all was accepted",
                          f"{report['items']}; verify: {self.tree.findings()}")
        findings = self.tree.findings()
        if findings:
            raise Problem("verify is not clean after reconcile", findings)
        return text

    def _new_slot(self, old):
        """Runs `rewrap`, from one of the passphrases to another; returns its number."""
        new, before = (old + 1) % 3, self.tree.locators()
        files = self.tree.seed.passphrase_files
        self.tree.programs.vaulttool(
            "rewrap", self.tree.vault, "--passphrase-file", files[old],
            "--new-passphrase-file", files[new])
        for locator in self.tree.locators() - before:
            self.tree.slots[locator] = new
        return new

    def _consent(self, report):
        """The options that accept each thing that reconcile left and could settle."""
        options = [part for item in report["items"]
                   if not item["settled"] and item["step"] != "none"
                   for part in ("--accept", item["file"])]
        return options or ["--all"]

    def _ready(self, branch):
        """Checks a branch out and reconciles what was left there; returns its tip."""
        self.tree.check_out(BRANCHES[branch])
        tip = self.tips[branch]
        if not tip.clean:
            self._finish(branch, (tip,), tip.state, "reconcile", "take up what was left",
                         unsure=set(tip.state.contents), was_clean=False, choice=-4)
        return self.tips[branch]

    def _make_mistake_in_files(self, kind):
        """--break rot: one sealed file is altered behind the back of everybody."""
        if self.mistake == "rot" and kind == "merge":
            for note in sorted(self.tree.ids):
                path = os.path.join(self.tree.path, self.tree.sealed(note))
                if os.path.exists(path):
                    with open(path, "r+b") as file:
                        file.seek(-1, os.SEEK_END)
                        last = file.read(1)
                        file.seek(-1, os.SEEK_END)
                        file.write(bytes([last[0] ^ 1]))
                    return
