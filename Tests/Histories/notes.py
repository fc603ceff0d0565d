"""What is in the notes of a random history, and what becomes of them in a merge of text."""
import os
import re
import subprocess
import tempfile

FOLDERS = ["", "plans/", "plans/deep/", "box/", "box/in/"]
NAMES = ["a.md", "b.md", "c.md", "box", "plans"]
PATHS = [folder + name for folder in FOLDERS for name in NAMES]
NEW_FOLDERS = ["plans", "box", "plans/deep", "box/in", "attic", "attic/old"]

CONFLICT_MARK = re.compile(r" \(conflict ([0-9a-f]{8,32})\)")
NUMBER = re.compile(rb"^\0?# Note ([0-9]+)\n")
MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def new_content(note, token, is_binary):
    """A note says who it is in its first line, so that it is known under any name.

    No two notes have the same size: without a base `pack` knows a renamed note by its size first.
    """
    size_of_its_own = b"." * (211 * note)
    if is_binary:
        return b"\0# Note %d\n%s\n%d\0\xff" % (note, size_of_its_own, token)
    parts = b"".join(b"part %d: begun %d\n\n\n" % (part, token) for part in range(4))
    return b"# Note %d\n%s\n" % (note, size_of_its_own) + parts


def edited(content, part, token):
    """The content with one of its parts written anew; the parts merge by themselves."""
    if content.startswith(b"\0"):
        return content + b"%d\0" % token
    line = rb"(?m)^part %d: .*$" % part
    changed = re.sub(line, b"part %d: written %d" % (part, token), content)
    return changed if changed != content else content + b"added %d\n" % token


def number_of(content):
    """Which note a content is of; None where it does not say."""
    found = NUMBER.match(content)
    return int(found.group(1)) if found else None


def merged_text(base, ours, theirs):
    """The three-way merge of texts as git makes it, or None where lines clash or one is no text."""
    if any(b"\0" in content for content in (base, ours, theirs)):
        return None
    with tempfile.TemporaryDirectory(prefix="histories-") as folder:
        paths = []
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "wb") as file:
                file.write(content)
        done = subprocess.run(["git", "merge-file", "-p"] + paths, stdout=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else None


def is_made_of(content, sources):
    """Whether each line of a merged content is a line of one of the sources, or a marker."""
    known = {line for source in sources for line in source.split(b"\n")}
    return all(line in known or line.startswith(MARKERS) for line in content.split(b"\n"))


def free_path(taken, choice, folder):
    """A path that is none of those taken, below none of them and above none of them.

    Nothing is at it in the folder, not even an empty folder.
    """
    for step in range(len(PATHS)):
        path = PATHS[(choice + step) % len(PATHS)]
        clashes = lambda other: (  # noqa: E731
            other == path or other.startswith(path + "/") or path.startswith(other + "/"))
        if not any(clashes(other) for other in taken):
            if not os.path.lexists(os.path.join(folder, path)):
                return path
    return f"more/{choice}-{len(taken)}.md"


def without_mark(shown):
    """The path of a note that is shown under this name, and the digits of its id in the name."""
    folder, name = os.path.split(shown)
    marks = list(CONFLICT_MARK.finditer(name))
    if not marks:
        return shown, None
    found = marks[-1]
    return os.path.join(folder, name[:found.start()] + name[found.end():]), found.group(1)


def read_folder(folder):
    """The files below a folder: path -> content."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found
