"""A person's work in the folder of notes before a pack, told to the model too."""
import os

import notes
from history import Problem
from plain import Name


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
        self.names[note] = Name(path, self.history.new_token())
        self.history.shown[note] = path
        self.history.paths.setdefault(note, set()).add(path)
        self.is_more_than_contents = True

    def _add(self, pick):
        note, self.history.next_note = self.history.next_note, self.history.next_note + 1
        self.touched.add(note)
        path = self._free_path(pick)
        self.contents[note] = notes.new_content(note, self.history.new_token(), pick % 7 == 0)
        self._set_name(note, path)
        self._write(note, path)
        self.told.append(f"new note {note} '{path}'")
        self.expected.add(("added", path, None))

    def _edit(self, note, pick):
        self.contents[note] = notes.edited(
            self.contents[note], pick // 8 % 4, self.history.new_token())
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
