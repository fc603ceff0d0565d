"""Runs vaulttool and git, and keeps what was run as lines that a person can repeat."""
import os
import shlex
import subprocess


class Unexpected(Exception):
    """A program ended with a status that nobody expected."""

    def __init__(self, command, status, output):
        super().__init__(f"'{command}' ended with status {status}")
        self.command, self.status, self.output = command, status, output


ENVIRONMENT = dict(
    os.environ, LC_ALL="C", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
    GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="A",
    GIT_COMMITTER_EMAIL="a@example.org", GIT_EDITOR="true", GIT_TERMINAL_PROMPT="0")
for name in [name for name in ENVIRONMENT if name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")]:
    del ENVIRONMENT[name]

# What makes git quick for a repository that lives a second, and quiet.
GIT_SETTINGS = {
    "gc.auto": "0", "maintenance.auto": "false", "core.fsync": "none", "core.hooksPath": "/dev/null",
    "advice.detachedHead": "false", "commit.gpgSign": "false", "core.untrackedCache": "false",
    "rerere.enabled": "false", "core.autocrlf": "false",
}


class Programs:
    """Runs programs in one folder; `lines` holds the commands as they were typed."""

    def __init__(self, folder, tool):
        self.folder, self.tool, self.lines = folder, tool, []

    def run(self, arguments, statuses=(0,), shown=None, data=None):
        """Runs a program; the status must be one of those given. Returns the finished process."""
        done = subprocess.run(
            arguments, cwd=self.folder, env=ENVIRONMENT, input=data, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, close_fds=False,
            stdin=subprocess.DEVNULL if data is None else None)
        command = shown or shlex.join(arguments)
        self.lines.append(command + (f"    # status {done.returncode}" if done.returncode else ""))
        if done.returncode not in statuses:
            output = (done.stdout + done.stderr).decode("utf-8", "replace")
            raise Unexpected(command, done.returncode, output)
        return done

    def git(self, *arguments, statuses=(0,), data=None):
        """Runs git in the work tree."""
        return self.run(("git",) + arguments, statuses, data=data)

    def vaulttool(self, *arguments, statuses=(0,)):
        """Runs vaulttool in the work tree."""
        return self.run(
            (self.tool,) + arguments, statuses, shown=shlex.join(("vaulttool",) + arguments))
