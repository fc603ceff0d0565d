"""The yardstick: the same history on plain notes, merged file by file as git merges.

A note is a number that it keeps for ever. Its name is a pair (path, stamp): each renaming has a
stamp of its own, so that a note that was renamed away and back counts as renamed.
"""
import collections

Name = collections.namedtuple("Name", "path stamp")
# contents: note -> bytes; names: note -> Name. Both have the same notes.
State = collections.namedtuple("State", "contents names")
# ancestors: a bit set of commit numbers, the commit's own among them; clean: whether verify said so.
Commit = collections.namedtuple("Commit", "number parents ancestors state sha kind clean")


class Unknown:
    """A content that only git and the merge driver know: equal to nothing but itself."""


def three_way(base, ours, theirs, in_conflict=None):
    """Merges two dicts that come from a third.

    Returns the merged dict, with `ours` where both changed, and the set of the keys where both did.
    in_conflict, where given, makes the merged value from the three.
    """
    merged, conflicts = {}, set()
    for key in set(ours) | set(theirs):
        old, our, their = base.get(key), ours.get(key), theirs.get(key)
        if our == their or their == old:
            value = our
        elif our == old:
            value = their
        else:
            conflicts.add(key)
            value = in_conflict(old, our, their) if in_conflict else our
        if value is not None:
            merged[key] = value
    return merged, conflicts


def as_plain_git(old, our, their):
    """What git puts into the merge of two bases where sealed files clash: their base."""
    return Unknown() if old is None else old


def as_driver(old, our, their):
    """The same with the merge driver, which git asks where both sides have the file."""
    return Unknown() if our is not None and their is not None else old


class Graph:
    """The commits of one history."""

    def __init__(self):
        self.commits = []

    def add(self, parents, state, sha, kind, clean):
        """Adds a commit and returns it. clean is None where nobody asked verify."""
        number = len(self.commits)
        ancestors = 1 << number
        for parent in parents:
            ancestors |= parent.ancestors
        commit = Commit(number, tuple(parents), ancestors, state, sha, kind, clean)
        self.commits.append(commit)
        return commit

    def among(self, ancestors):
        """The commits of a bit set, oldest first."""
        return [commit for commit in self.commits if ancestors >> commit.number & 1]

    def bases(self, one, other):
        """The best common ancestors of two bit sets, newest first."""
        common, best = one & other, []
        while common:
            commit = self.commits[common.bit_length() - 1]
            best.append(commit)
            common &= ~commit.ancestors
        return best

    def base_state(self, one, other, in_conflict):
        """The state that git takes as the base: several bases are merged with each other first."""
        best = self.bases(one, other)[::-1]
        state, ancestors = best[0].state, best[0].ancestors
        for commit in best[1:]:
            inner = self.base_state(ancestors, commit.ancestors, in_conflict)
            state = State(
                three_way(inner.contents, state.contents, commit.state.contents, in_conflict)[0],
                three_way(inner.names, state.names, commit.state.names, in_conflict)[0])
            ancestors |= commit.ancestors
        return state


def is_ancestor(one, other):
    """Whether commit `one` is in the history of commit `other`, or is it."""
    return bool(other.ancestors >> one.number & 1)
