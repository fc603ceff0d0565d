"""Does git take two compactions of the same segments for two renamings of one file?

It would then stop a plain merge of two branches that only edited different notes. The lists of a
segment are masked against that. Each repeat makes 60 commits, two branches of 8 commits with a
compaction on each, and merges them in a repository without any configuration for vaulttool.
"""
import concurrent.futures
import os
import shutil
import tempfile

import notes
from history import Problem
from programs import Unexpected
from worktree import WorkTree

BEFORE, AFTER, NOTES = 60, 8, 20
REPEATS_WITH_SESSION, REPEATS_WITHOUT = 40, 4


class Repeat:
    """One repository, from the first commit to the merge."""

    def __init__(self, seed, number, folder):
        self.tree = WorkTree(seed, seed.plain_form(number), folder)
        self.number, self.contents, self.token = number, {}, number * 1000
        self.tree.unpack()
        for note in range(100, 100 + NOTES):
            self._write(note, notes.new_content(note, self.token, note % 7 == 0))

    def _write(self, note, content):
        self.contents[note] = content
        with open(os.path.join(self.tree.notes, f"note-{note}.md"), "wb") as file:
            file.write(content)

    def _commit_edit(self, note):
        self.token += 1
        self._write(note, notes.edited(self.contents[note], self.token % 4, self.token))
        self.tree.pack()
        self.tree.commit(f"edit note {note}")

    def _branch(self, name, notes_of_it):
        """8 commits with a compaction before, between or after them."""
        compacts_after = self.token % (AFTER + 1)
        for edit in range(AFTER + 1):
            if edit == compacts_after:
                before = self.tree.segments()
                self.tree.vaulttool("compact", self.tree.vault)
                if len(before - self.tree.segments()) < BEFORE // 2:
                    raise Problem("a compaction that merges few segments", name)
                self.tree.commit("compact")
            if edit < AFTER:
                self._commit_edit(notes_of_it[edit % len(notes_of_it)])

    def run(self):
        """Plays it; raises Problem where the merge is not what it has to be."""
        everything = sorted(self.contents)
        for edit in range(BEFORE):
            self._commit_edit(everything[edit * 7 % NOTES])
        self.tree.git("branch", "B")
        common = dict(self.contents)
        self._branch("A", everything[0::2])
        mine = dict(self.contents)
        self.tree.check_out("B")
        self.contents = dict(common)
        self.tree.unpack()
        self._branch("B", everything[1::2])
        self.tree.check_out("A")
        done = self.tree.git("merge", "--no-ff", "-m", "merge B", "B", statuses=(0, 1))
        if done.returncode:
            raise Problem("git stops a merge of different notes", done.stdout.decode())
        findings = self.tree.findings()
        if findings:
            raise Problem("verify is not clean after the merge", findings)
        for note in everything[0::2]:
            self.contents[note] = mine[note]
        found = {notes.number_of(content): content for content in self.tree.unpack().values()}
        if any(found.get(note) != content for note, content in self.contents.items()):
            raise Problem("the merged notes are not those of both branches")


def repeat(seed, number):
    """Plays one repeat in a folder of its own; returns what went wrong, or None."""
    folder = tempfile.mkdtemp(prefix=f"renames-{number}-", dir=seed.folder)
    try:
        Repeat(seed, number, folder).run()
        return None
    except (Problem, Unexpected) as error:
        return f"{error}\n{getattr(error, 'output', '')}"
    finally:
        shutil.rmtree(folder)


def run(seed, options):
    """Plays all repeats; returns how many failed."""
    count = options.renames or (REPEATS_WITH_SESSION if seed.has_session else REPEATS_WITHOUT)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        problems = list(pool.map(repeat, [seed] * count, range(count)))
    failed = [problem for problem in problems if problem]
    for problem in failed[:3]:
        print(problem)
    print(f"{count} merges after {BEFORE} + {AFTER} + {AFTER} commits and a compaction on both "
          f"branches, {len(failed)} failed")
    return len(failed)
