"""The operations of a random history: each runs the real programs and tells the model the same."""
import os
import re

import notes
import plain
from history import BRANCHES, History, Problem
from plain import Name, State
from programs import Unexpected

KINDS = ("edit", "edit", "edit", "new", "new", "delete", "rename", "folder")
AMOUNTS = (1, 1, 2, 2, 3, 5)
AUTO_MERGED = re.compile(r"^Auto-merging (.*)$", re.MULTILINE)
SETTLE_NOW = -4  # a choice that never leaves findings for later


class RandomHistory(History):
    """Plays operations; the numbers that each takes are described in operations.py."""

    # One branch alone

    def _pack(self, branch, kinds, picks, amount, *_):
        tip = self._ready(branch)
        if self.unpacked != tip.number:
            self._compare(tip.state, (), {})
        edit = Edit(self, tip.state)
        for number in range(AMOUNTS[amount % len(AMOUNTS)]):
            edit.make(KINDS[(kinds >> (3 * number)) % 8], picks >> (2 * number))
        self._make_mistake_in_pack(edit)
        edit.hold_against(self.tree.pack())
        folder = dict(self.shown)
        state = State(edit.contents, edit.names)
        if edit.is_more_than_contents:
            self._learn_ids()
            state = self._compare_names(self.shown, state, ())
        text = "pack: " + (", ".join(edit.told) or "nothing")
        self._finish(branch, (tip,), state, "pack", text)
        self.unpacked = self.tips[branch].number if folder == self.shown else None

    def _make_mistake_in_pack(self, edit):
        """--break drop-note, keep-note: the vault loses a note, or keeps one that was deleted."""
        if self.mistake == "drop-note" and len(self.shown) > 1:
            note = max(self.shown)
            os.remove(os.path.join(self.tree.notes, self.shown.pop(note)))
            edit.told = [f"(and note {note} vanishes unnoticed)"] + edit.told
            edit.is_watched = False
        if self.mistake == "keep-note" and edit.contents:
            del edit.contents[max(edit.contents)]
            edit.is_watched = False

    def _compact(self, branch, *_):
        tip = self._ready(branch)
        before = self.tree.segments()
        self.tree.vaulttool("compact", self.tree.vault)
        after = self.tree.segments()
        if after == before:
            self._tell(branch, "compact: nothing was due")
            return
        text = f"compact: {len(before - after)} segments to {len(after - before)}"
        self._finish(branch, (tip,), tip.state, "compact", text)

    def _rewrap(self, branch, new, *_):
        if self.tree.form.has_driver and not self.tree.seed.has_session:
            return  # the driver's passphrase command would be wrong
        tip = self._ready(branch)
        old = min(self.tree.passphrases())
        new = (old + 1 + new % 2) % 3
        before = self.tree.locators()
        files = self.tree.seed.passphrase_files
        self.tree.programs.vaulttool(
            "rewrap", self.tree.vault, "--passphrase-file", files[old],
            "--new-passphrase-file", files[new])
        for locator in self.tree.locators() - before:
            self.tree.slots[locator] = new
        self._finish(branch, (tip,), tip.state, "rewrap", f"rewrap: passphrase {old} to {new}")

    def _restore(self, branch, which, note, _, choice, *__):
        tip = self._ready(branch)
        commits = [c for c in self.graph.among(tip.ancestors) if c.state.contents]
        if not commits:
            return
        commit = commits[which % len(commits)]
        chosen = sorted(commit.state.contents)
        note = chosen[note % len(chosen)]
        self.tree.git("checkout", "-q", commit.sha, "--", self.tree.sealed(note))
        contents, names = dict(tip.state.contents), dict(tip.state.names)
        contents[note] = commit.state.contents[note]
        names.setdefault(note, commit.state.names[note])
        self._finish(
            branch, (tip,), State(contents, names), "restore",
            f"check out the file of note {note} as of commit {commit.number}", unsure={note},
            choice=choice & ~3)

    # Branches

    def _branch(self, branch, other, *_):
        if len(self.tips) < len(BRANCHES):
            self.tree.check_out(BRANCHES[branch])
            self.tree.git("branch", BRANCHES[len(self.tips)])
            self.tips.append(self.tips[branch])
            self._tell(branch, f"branch {BRANCHES[len(self.tips) - 1]}")
        else:
            self._reset(branch, other)

    def _reset(self, branch, other, *_):
        other = self._other(branch, other)
        if other is None:
            return
        self.tree.check_out(BRANCHES[branch])
        self.tree.git("reset", "-q", "--hard", BRANCHES[other])
        self.tips[branch] = self.tips[other]
        self._tell(branch, f"reset to {BRANCHES[other]}")

    def _other(self, branch, choice):
        """Another branch; None where there is none."""
        count = len(self.tips)
        return (branch + 1 + choice % (count - 1)) % count if count > 1 else None

    def _merge(self, branch, other, how, decisions, choice, *_):
        other = self._other(branch, other)
        if other is None:
            return
        ours, theirs = self.tips[branch], self.tips[other]
        if plain.is_ancestor(theirs, ours):
            return
        self.tree.check_out(BRANCHES[branch])
        if plain.is_ancestor(ours, theirs) and how % 2:
            self.tree.git("merge", "-q", "--ff-only", BRANCHES[other])
            self.tips[branch] = theirs
            self._tell(branch, f"fast-forward to {BRANCHES[other]}")
            return
        self._merge_in(branch, other, decisions, choice, "merge")

    def _squash(self, branch, other, _, decisions, choice, *__):
        other = self._other(branch, other)
        if other is None or plain.is_ancestor(self.tips[other], self.tips[branch]):
            return
        self.tree.check_out(BRANCHES[branch])
        self._merge_in(branch, other, decisions, choice, "squash")

    def _merge_in(self, branch, other, decisions, choice, kind):
        ours, theirs = self.tips[branch], self.tips[other]
        base = self.graph.base_state(ours.ancestors, theirs.ancestors, self.in_conflict)
        text = f"{kind} {BRANCHES[other]}"
        how = ("--squash",) if kind == "squash" else ("--no-ff", "-m", self._message(text))
        done = self.tree.git("merge", *how, BRANCHES[other], statuses=(0, 1))
        merge = self._settle(base, ours.state, theirs.state, done, decisions)
        was_clean = bool(ours.clean and theirs.clean)
        # Of a state that was left with findings nobody asked which names the vault shows.
        unsure = merge.unsure if was_clean else set(merge.contents)
        self._finish(
            branch, (ours,) if kind == "squash" else (ours, theirs), merge.state, kind, text,
            merge.conflicts, unsure, merge.sources, was_clean, choice,
            is_committed=kind == "merge" and done.returncode == 0)

    def _octopus(self, branch, *numbers):
        ours, choice = self.tips[branch], numbers[3]
        others = []
        for number, tip in enumerate(self.tips):
            # git leaves out what another of the branches has already.
            covering = [other for c, other in enumerate(self.tips)
                        if c not in (number, branch) and plain.is_ancestor(tip, other)
                        and (other is not tip or c < number)]
            if number != branch and not covering and not plain.is_ancestor(tip, ours):
                others.append(number)
        if len(others) < 2:
            return
        state, ancestors, unsure, clashes = ours.state, ours.ancestors, set(), set()
        for other in others:
            theirs = self.tips[other]
            if len(self.graph.bases(ancestors, theirs.ancestors)) > 1:
                return  # git's octopus has a rule of its own for several bases
            base = self.graph.base_state(ancestors, theirs.ancestors, self.in_conflict)
            merge = Merge(self, base, state, theirs.state)
            state, ancestors = merge.state, ancestors | theirs.ancestors
            unsure |= merge.unsure
            clashes |= merge.clashes
        self.tree.check_out(BRANCHES[branch])
        text = "octopus merge of " + " ".join(BRANCHES[other] for other in others)
        done = self.tree.git("merge", "--no-ff", "-m", self._message(text),
                             *(BRANCHES[other] for other in others), statuses=(0, 1, 2))
        if done.returncode:
            output = (done.stdout + done.stderr).decode()
            if re.search(r"\.(seg|slot)\b", output) or not re.search(r"\.sealed\b", output):
                raise Problem("git stops an octopus merge without a note in conflict", output)
            self.tree.git("reset", "-q", "--hard")
            self.tree.git("clean", "-q", "-f", "-d")
            self.counts["octopus merges that git gave up"] += 1
            self._tell(branch, text + ": notes in conflict, given up")
            return
        if clashes:
            raise Problem("a conflict went unseen", f"notes {sorted(clashes)}")
        parents = [ours] + [self.tips[other] for other in others]
        was_clean = all(tip.clean for tip in parents)
        self._finish(
            branch, parents, state, "octopus", text, was_clean=was_clean, choice=choice,
            unsure=unsure if was_clean else set(state.contents), is_committed=True)

    # Commits taken over, taken back, put elsewhere

    def _cherry_pick(self, branch, which, _, decisions, choice, *__):
        tip, reach = self.tips[branch], 0
        for other in self.tips:
            reach |= other.ancestors
        commits = [c for c in self.graph.among(reach & ~tip.ancestors) if len(c.parents) == 1]
        if commits:
            commit = commits[which % len(commits)]
            self._apply(branch, "cherry_pick", commit, decisions, choice)

    def _revert(self, branch, which, _, decisions, choice, *__):
        commits = [c for c in self.graph.among(self.tips[branch].ancestors) if c.parents]
        if commits:
            # Most often one of the last.
            commit = commits[-1 - which % min(len(commits), 1 + which % 5)]
            self._apply(branch, "revert", commit, decisions, choice)

    def _apply(self, branch, kind, commit, decisions, choice):
        tip, parent = self.tips[branch], commit.parents[0]
        self.tree.check_out(BRANCHES[branch])
        how = ("-m", "1") if len(commit.parents) > 1 else ()
        name = kind.replace("_", "-")
        done = self.tree.git(name, "-n", *how, commit.sha, statuses=(0, 1))
        old, new = (parent, commit) if kind == "cherry_pick" else (commit, parent)
        merge = self._settle(old.state, tip.state, new.state, done, decisions)
        self._finish(
            branch, (tip,), merge.state, kind, f"{name} commit {commit.number} ({commit.kind})",
            merge.conflicts, merge.unsure, merge.sources, bool(tip.clean), choice)

    def _rebase(self, branch, other, _, decisions, choice, *__):
        other = self._other(branch, other)
        if other is None:
            return
        tip, onto = self.tips[branch], self.tips[other]
        if plain.is_ancestor(onto, tip) or plain.is_ancestor(tip, onto):
            return
        self.tree.check_out(BRANCHES[branch])
        listed = self.tree.git("rev-list", "--topo-order", "--reverse", "--no-merges",
                               f"{onto.sha}..{tip.sha}").stdout.decode().split()
        by_sha = {commit.sha: commit for commit in self.graph.commits}
        todo = [by_sha[sha] for sha in listed]
        done = self.tree.git("rebase", "--reapply-cherry-picks", "--empty=keep",
                             "--no-fork-point", BRANCHES[other], statuses=(0, 1))
        states, conflicts, unsure = [onto.state], set(), set()
        for commit in list(todo):
            is_stop = self._stopped_at() == commit.sha
            merge = self._settle(commit.parents[0].state, states[-1], commit.state,
                                 done if is_stop else None, decisions, may_leave_markers=False)
            states.append(merge.state)
            conflicts |= merge.conflicts
            unsure |= merge.unsure
            if is_stop:
                self.tree.git("add", "-A")
                if self.tree.git("diff", "--cached", "--quiet", statuses=(0, 1)).returncode == 0:
                    todo.remove(commit)  # git drops what a person settled to nothing
                    states.pop()
                done = self.tree.git("rebase", "--continue", statuses=(0, 1))
        if self._stopped_at():
            raise Problem("git rebase does not end", done.stdout.decode() + done.stderr.decode())
        shas = self.tree.git("rev-list", "--reverse", f"{onto.sha}..HEAD").stdout.decode().split()
        if len(shas) != len(todo):
            raise Unexpected("git rebase", 0, f"{len(todo)} commits became {len(shas)}")
        if not todo:
            self.tips[branch] = onto
            return
        parents = (onto,)
        for commit, state, sha in zip(todo[:-1], states[1:], shas):
            parents = (self.graph.add(parents, state, sha, commit.kind, None),)
        self._finish(
            branch, parents, states[-1], "rebase",
            f"rebase of {len(todo)} commits onto {BRANCHES[other]}", conflicts, unsure, None,
            bool(onto.clean), choice, is_committed=True)

    def _stopped_at(self):
        """The commit at which a rebase waits for a person; None where none does."""
        folder = os.path.join(self.tree.path, ".git")
        if not os.path.isdir(os.path.join(folder, "rebase-merge")):
            return None
        with open(os.path.join(folder, "REBASE_HEAD")) as file:
            return file.read().strip()

    # The end

    def _end(self):
        for branch in range(len(self.tips)):
            self._ready(branch)
        for other in range(1, len(self.tips)):
            if not plain.is_ancestor(self.tips[other], self.tips[0]):
                self.tree.check_out("A")
                self._merge_in(0, other, 0b1001001001, SETTLE_NOW, "merge")
        self.tree.check_out("A")
        self._compare(self.tips[0].state, (), {})
        self.tree.vaulttool("verify", self.tree.vault, "--unlock")
        if self.counts["rewrap"]:
            for number in self.tree.passphrases():
                self.tree.programs.vaulttool(
                    "ls", self.tree.vault, "--passphrase-file",
                    self.tree.seed.passphrase_files[number])
        self._tell(0, "all branches are merged, all notes are there")

    def _settle(self, base, ours, theirs, done, decisions, may_leave_markers=True):
        """Settles what git left in conflict; returns the merge as the model has it.

        done: the finished git command; None for a step inside a rebase that did not stop.
        """
        merge = Merge(self, base, ours, theirs)
        if done is not None and done.returncode:
            unmerged = self.tree.unmerged()
            if not unmerged:
                raise Problem("git stops without a file in conflict",
                              (done.stdout + done.stderr).decode())
        else:
            unmerged = {}
        output = done.stdout.decode() if done is not None else ""
        merge.take_over(unmerged, AUTO_MERGED.findall(output), is_told=done is not None)
        merge.choose(unmerged, decisions, may_leave_markers)
        return merge


class Edit:
    """A person's work in the folder of notes before a pack, told to the model too."""

    def __init__(self, history, state):
        self.history = history
        self.contents, self.names = dict(state.contents), dict(state.names)
        self.before = set(history.shown.values())
        self.touched, self.told, self.expected = set(), [], set()
        self.is_more_than_contents, self.is_watched = False, True

    def make(self, kind, pick):
        """Does one thing; where there is no note to do it to, makes a new one."""
        left = [note for note in sorted(self.history.shown) if note not in self.touched]
        if kind == "folder" and self._rename_folder(pick):
            return
        if kind in ("new", "folder") or not left:
            return self._add(pick)
        note = left[pick % len(left)]
        self.touched.add(note)
        getattr(self, "_" + kind)(note, pick)

    def hold_against(self, changes):
        """Compares with what pack says it did; what it says of folders is passed over."""
        told = {(change["action"], change["path"], change.get("from")) for change in changes}
        files = {path for _, *paths in self.expected for path in paths if path}
        odd = {change for change in told - self.expected
               if change[1] in files or change[1] in self.history.shown.values()}
        if self.is_watched and (self.expected - told or odd):
            raise Problem("pack did something else", f"expected {self.expected}, did {told}")

    def _file(self, path):
        full = os.path.join(self.history.tree.notes, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    def _free_path(self, pick):
        taken = self.before | set(self.history.shown.values())
        return notes.free_path(taken, pick, self.history.tree.notes)

    def _write(self, note, path):
        with open(self._file(path), "wb") as file:
            file.write(self.contents[note])

    def _set_name(self, note, path):
        self.names[note] = Name(path, self.history._token())
        self.history.shown[note] = path
        self.history.paths.setdefault(note, set()).add(path)
        self.is_more_than_contents = True

    def _add(self, pick):
        note, self.history.next_note = self.history.next_note, self.history.next_note + 1
        self.touched.add(note)
        path = self._free_path(pick)
        self.contents[note] = notes.new_content(note, self.history._token(), pick % 7 == 0)
        self._set_name(note, path)
        self._write(note, path)
        self.told.append(f"new note {note} '{path}'")
        self.expected.add(("added", path, None))

    def _edit(self, note, pick):
        self.contents[note] = notes.edited(
            self.contents[note], pick // 8 % 4, self.history._token())
        self._write(note, self.history.shown[note])
        self.told.append(f"edit note {note}")
        self.expected.add(("changed", self.history.shown[note], None))

    def _delete(self, note, _):
        path = self.history.shown.pop(note)
        os.remove(self._file(path))
        del self.contents[note], self.names[note]
        self.history.ever_deleted.add(note)
        self.is_more_than_contents = True
        self.told.append(f"delete note {note}")
        self.expected.add(("removed", path, None))

    def _rename(self, note, pick):
        old, new = self.history.shown[note], self._free_path(pick)
        os.rename(self._file(old), self._file(new))
        self._set_name(note, new)
        self.told.append(f"rename note {note} from '{old}' to '{new}'")
        self.expected.add(("renamed", new, old))

    def _rename_folder(self, pick):
        """Renames a folder with all that is in it; False where none can be."""
        shown = self.history.shown
        folders = sorted({os.path.dirname(path) for path in shown.values()} - {""})
        if not folders:
            return False
        old = folders[pick % len(folders)]
        inside = [note for note, path in sorted(shown.items()) if path.startswith(old + "/")]
        new = notes.NEW_FOLDERS[pick // 8 % len(notes.NEW_FOLDERS)]
        moved = {note: new + shown[note][len(old):] for note in inside}
        target = os.path.join(self.history.tree.notes, new)
        parents = [new[:at] for at, letter in enumerate(new) if letter == "/"]
        if (os.path.lexists(target) or new.startswith(old + "/") or self.touched & set(inside)
                or set(moved.values()) & self.before or new in self.before
                or any(os.path.isfile(self._path(parent)) for parent in parents)
                or any(path in self.before for path in parents)):
            return False
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(os.path.join(self.history.tree.notes, old), target)
        self.touched |= set(inside)
        for note in inside:
            self.expected.add(("renamed", moved[note], shown[note]))
            self._set_name(note, moved[note])
        self.told.append(f"rename folder '{old}' to '{new}'")
        return True

    def _path(self, path):
        return os.path.join(self.history.tree.notes, path)


class Merge:
    """A three-way merge of plain notes, and the choices that make it the same as git's."""

    def __init__(self, history, base, ours, theirs):
        self.history, self.base, self.ours, self.theirs = history, base, ours, theirs
        self.contents, self.clashes = plain.three_way(
            base.contents, ours.contents, theirs.contents)
        self.names, self.renamed_twice = plain.three_way(base.names, ours.names, theirs.names)
        self.conflicts, self.sources = set(), {}

    @property
    def state(self):
        """The merged state: contents, and a name for each."""
        names = {}
        for note in self.contents:
            for known in (self.names, self.ours.names, self.theirs.names, self.base.names):
                if isinstance(known.get(note), Name):
                    names[note] = known[note]
                    break
        self._note_deletions()
        return State(dict(self.contents), names)

    @property
    def unsure(self):
        """The notes whose name the vault decides: it may be any that they once had."""
        if self.history.kind != "merging":
            return set(self.contents)
        ours, theirs = self.ours.contents, self.theirs.contents
        is_new = lambda note: (  # noqa: E731
            note not in self.base.contents and note not in self.history.ever_deleted)
        is_sure = lambda note: (  # noqa: E731
            note not in self.renamed_twice if note in ours and note in theirs else is_new(note))
        return {note for note in self.contents if not is_sure(note)}

    def _note_deletions(self):
        everything = set(self.base.contents) | set(self.ours.contents) | set(self.theirs.contents)
        self.history.ever_deleted |= everything - set(self.contents)

    def take_over(self, unmerged, merged_paths, is_told):
        """Learns from git which files clashed and which the driver merged."""
        history, tree = self.history, self.history.tree
        for path in list(unmerged) + merged_paths:
            if not path.endswith(".sealed"):
                raise Problem("git finds a conflict in a file that is no note", path)
        clashing = {tree.note_at(path) for path in unmerged} - {None}
        touched = {tree.note_at(path) for path in merged_paths} - {None}
        for note in sorted(self.clashes - clashing):
            self._merge_unseen(note, touched, is_told)
        self.conflicts = clashing | touched | self.clashes

    def _merge_unseen(self, note, touched, is_told):
        """A note that both sides changed, and that git did not stop at."""
        history = self.history
        base, ours, theirs = (
            state.contents.get(note) for state in (self.base, self.ours, self.theirs))
        if isinstance(base, plain.Unknown):
            if os.path.exists(os.path.join(history.tree.path, history.tree.sealed(note))):
                self.contents[note] = ours if ours is not None else theirs
                self.sources[note] = [content for commit in history.graph.commits
                                      for content in [commit.state.contents.get(note)]
                                      if isinstance(content, bytes)]
            else:
                self.contents.pop(note, None)
            return
        merged = None
        if history.tree.form.has_driver and None not in (ours, theirs) and (
                note in touched or not is_told):
            merged = notes.merged_text(base or b"", ours, theirs)
        if merged is None:
            raise Problem("a conflict went unseen", f"note {note}")
        self.contents[note] = merged
        history.counts["notes that the driver merged"] += 1

    def choose(self, unmerged, decisions, may_leave_markers):
        """Settles each file in conflict by ours, theirs, a deletion, or as the driver left it."""
        history, tree = self.history, self.history.tree
        for path, sides in sorted(unmerged.items()):
            note = tree.note_at(path)
            choice = (decisions >> (2 * ((note or 0) % 8))) % 4
            history.counts["files in conflict"] += 1
            may_stay = tree.form.has_driver and may_leave_markers and note is not None
            if choice >= 2 and may_stay and {2, 3} <= sides:
                history.counts["conflicts left as the driver wrote them"] += 1
                self.sources[note] = [
                    state.contents[note] for state in (self.base, self.ours, self.theirs)
                    if isinstance(state.contents.get(note), bytes)]
                continue
            side, state = (("ours", self.ours), ("theirs", self.theirs))[choice % 2]
            other = "theirs" if side == "ours" else "ours"
            taken = other if history.mistake == "wrong-side" else side
            tree.take(taken, path, (2 if taken == "ours" else 3) in sides)
            if note is None:
                continue  # a folder
            content = state.contents.get(note)
            if content is None:
                self.contents.pop(note, None)
                history.counts["conflicts settled by deleting"] += 1
            else:
                self.contents[note] = content
