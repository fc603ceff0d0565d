"""A three-way merge as the model has it, settled in the way that git and a person settled it."""
import os

import notes
import plain
from history import Problem
from plain import Name, State


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
