"""The operations of a random history: each runs the real programs and tells the model the same."""
import os
import re

import plain
from edits import Edit
from history import BRANCHES, History, Problem
from merges import Merge
from plain import State
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
            note = max(edit.contents)
            del edit.contents[note], edit.names[note], self.shown[note]
            edit.told.append(f"delete note {note} (which does not happen)")
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

    def _rewrap(self, branch, *_):
        if self.tree.form.has_driver and not self.tree.seed.has_session:
            return  # the driver's passphrase command would be wrong
        tip = self._ready(branch)
        old = min(self.tree.passphrases())
        new = self._new_slot(old)
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
