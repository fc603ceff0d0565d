"""The tools that bench/run puts beside vaulttool: for each, one command line a job.

Braces are filled in by bench/run: {src} the folder, {vault} what to make, {out} where to unpack to,
{root} the work folder, {mount} a mount point, {note} one note's path, quoted. A job that a tool has
no command for is left out. tar+zstd+age makes one archive: it packs everything anew each time.
"""
import os
import shutil
import subprocess

SECRET = "correct-horse-battery-staple"
_MOUNT = "gocryptfs -q -nosyslog -extpass 'echo %s' {vault} {mount} && " % SECRET
_UNMOUNT = " && fusermount -u {mount}"
_AGE_LIBRARY = """'
import os, sys, pyrage
verb, secret, top, to = sys.argv[1:]
identity = pyrage.x25519.Identity.from_str(open(secret).read())
for folder, _, names in os.walk(top):
    other = os.path.join(to, os.path.relpath(folder, top))
    verb == "check" or os.makedirs(other, exist_ok=True)
    for name in names:
        at, there = os.path.join(folder, name), os.path.join(other, name)
        if verb == "pack":
            pyrage.encrypt_file(at, there, [identity.to_public()])
        else:
            pyrage.decrypt_file(at, os.devnull if verb == "check" else there, [identity])
' """

PEERS = {
    "restic": {
        "needs": "restic",
        "env": {"RESTIC_PASSWORD": SECRET, "RESTIC_REPOSITORY": "{vault}", "RESTIC_CACHE_DIR": "{root}/peer"},
        "init": "restic -q init",
        "pack": "cd {src} && restic -q backup .",
        "same": "cd {src} && restic -q backup .",
        "edit": "cd {src} && restic -q backup .",
        "cat": "restic -q dump latest /{note}",
        "unlock": "restic -q check --read-data",
        "unpack": "restic -q restore latest --target {out}",
    },
    "borg": {
        "needs": "borg",
        "env": {"BORG_PASSPHRASE": SECRET, "BORG_REPO": "{vault}", "BORG_BASE_DIR": "{root}/peer",
                "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes"},
        "init": "borg init -e repokey",
        "pack": "cd {src} && borg create ::pack .",
        "same": "cd {src} && borg create ::same .",
        "edit": "cd {src} && borg create ::edit .",
        "cat": "borg extract --stdout ::pack {note}",
        "unlock": "borg check --verify-data",
        "unpack": "mkdir {out} && cd {out} && borg extract ::pack",
    },
    "rclone": {
        "needs": "rclone",
        "env": {"RCLONE_CONFIG": "{root}/rclone.conf", "RCLONE_CACHE_DIR": "{root}/peer"},
        "init": "rclone config create V crypt remote={vault} password=%s --obscure && mkdir {vault}" % SECRET,
        "pack": "rclone -q sync {src} V:",
        "same": "rclone -q sync {src} V:",
        "edit": "rclone -q sync {src} V:",
        "cat": "rclone -q cat V:{note}",
        "unlock": "rclone -q cat V:",
        "unpack": "rclone -q copy V: {out}",
    },
    "gocryptfs": {
        "needs": "gocryptfs",
        "init": "mkdir -p {vault} {mount} && gocryptfs -init -q -extpass 'echo %s' {vault}" % SECRET,
        "pack": _MOUNT + "cp -r {src}/. {mount}" + _UNMOUNT,
        "same": _MOUNT + "cp -ru {src}/. {mount}" + _UNMOUNT,
        "edit": _MOUNT + "cp -ru {src}/. {mount}" + _UNMOUNT,
        "cat": _MOUNT + "cat {mount}/{note}" + _UNMOUNT,
        "unlock": _MOUNT + "find {mount} -type f -exec cat {{}} +" + _UNMOUNT,
        "unpack": _MOUNT + "cp -r {mount} {out}" + _UNMOUNT,
    },
    "tar+zstd+age": {
        "needs": "age zstd",
        "init": "rm -f {root}/key && age-keygen -o {root}/key && age-keygen -y {root}/key > {root}/public",
        "pack": "tar -cf - -C {src} . | zstd -q -3 | age -R {root}/public -o {vault}",
        "unlock": "age -d -i {root}/key {vault} | zstd -qt",
        "unpack": "mkdir {out} && age -d -i {root}/key {vault} | zstd -qdc | tar -xf - -C {out}",
    },
    "age library": {
        "needs": "pyrage",
        "init": "python3 -c 'import pyrage; print(pyrage.x25519.Identity.generate(), end=\"\")' > {root}/key",
        "pack": "python3 -c " + _AGE_LIBRARY + "pack {root}/key {src} {vault}",
        "unlock": "python3 -c " + _AGE_LIBRARY + "check {root}/key {vault} -",
        "unpack": "python3 -c " + _AGE_LIBRARY + "unpack {root}/key {vault} {out}",
    },
}


def installed(name):
    needs = PEERS[name]["needs"]
    if needs == "pyrage":
        return subprocess.run(["python3", "-c", "import pyrage"], stderr=subprocess.DEVNULL).returncode == 0
    if needs == "gocryptfs" and not (os.path.exists("/dev/fuse") and shutil.which("fusermount")):
        return False
    return all(shutil.which(program) for program in needs.split(" "))


def version(name):
    needs = PEERS[name]["needs"].split(" ")[0]
    command = {"restic": "restic version", "rclone": "rclone version",
               "pyrage": "python3 -c 'import importlib.metadata as m; print(m.version(\"pyrage\"))'"}
    out = subprocess.run(command.get(needs, needs + " --version"), shell=True, capture_output=True, text=True).stdout
    words = [word.strip(";,v") for word in out.split() if any(c.isdigit() for c in word)]
    return words[0] if words else "?"
