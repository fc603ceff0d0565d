"""Runs what the files in ci/ say, as far as that goes without the hosts they are for.

ci-steps.py parse FILE...                    reads YAML strictly: a key that stands there twice is an error
ci-steps.py action FILE NAME=VALUE...        the steps of a composite action with these inputs, in this folder
ci-steps.py job FILE JOB STEP                one run step of a workflow's job, in this folder
ci-steps.py gitlab FILE JOB NAME=VALUE...    the script of a job with these variables, in this folder
ci-steps.py hook FILE ID ARGUMENT...         a hook as pre-commit runs it: entry, then arguments, at the top of the work tree
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

import yaml


class Strict(yaml.SafeLoader):
    pass


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    if len(keys) != len(set(keys)):
        raise yaml.YAMLError(f"a key stands there twice: {keys}")
    return loader.construct_mapping(node, deep=True)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Strict)


def pairs(words):
    return dict(word.split("=", 1) for word in words)


def run_bash(script, variables):
    """As GitHub runs a step with 'shell: bash'."""
    assert "${{" not in script, "an input would become a part of the script"
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(script)
        file.flush()
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", file.name]
        status = subprocess.run(words, env={**os.environ, **variables}).returncode
    if status != 0:
        sys.exit(status)


def action(path, inputs):
    document = load(path)
    assert document["runs"]["using"] == "composite"
    values = {}
    for name, spec in document["inputs"].items():
        assert spec["description"]
        assert not spec.get("required") or name in inputs, name
        values[f"inputs.{name}"] = inputs.pop(name, spec.get("default", ""))
    assert not inputs, inputs
    values["github.action_path"] = os.path.dirname(os.path.abspath(path))

    def expand(text):
        return re.sub(r"\$\{\{ *([a-z._-]+) *\}\}", lambda match: values[match[1]], text)

    with tempfile.TemporaryDirectory() as temporary:
        added = os.path.join(temporary, "path")
        open(added, "w").close()
        variables = {"RUNNER_TEMP": temporary, "GITHUB_PATH": added}
        for step in document["runs"]["steps"]:
            assert step["shell"] == "bash"
            environment = {name: expand(text) for name, text in step.get("env", {}).items()}
            with open(added, encoding="utf-8") as file:
                folders = file.read().split("\n")[:-1]
            environment["PATH"] = ":".join(folders[::-1] + [os.environ["PATH"]])
            run_bash(step["run"], {**variables, **environment})


def job(path, name, step_name):
    steps = load(path)["jobs"][name]["steps"]
    [step] = [step for step in steps if step.get("name") == step_name]
    run_bash(step["run"], {})


def gitlab(path, name, variables):
    document = load(path)[name]
    own = {key: str(value) for key, value in document["variables"].items()}
    # A runner joins the lines into one script; the image has a plain sh.
    script = "set -e\n" + "\n".join(document["script"])
    status = subprocess.run(["sh", "-c", script], env={**os.environ, **own, **variables})
    for report in document["artifacts"]["reports"].values():
        assert os.path.exists(report) or status.returncode == 2, report
    sys.exit(status.returncode)


def hook(path, name, arguments):
    [found] = [found for found in load(path) if found["id"] == name]
    assert found["language"] == "system" and found["pass_filenames"] is False
    words = shlex.split(found["entry"]) + arguments
    sys.exit(subprocess.run(words, env={**os.environ, "PRE_COMMIT": "1"}).returncode)


def main(verb, path, *rest):
    if verb == "parse":
        for name in (path, *rest):
            load(name)
    elif verb == "action":
        action(path, pairs(rest))
    elif verb == "job":
        job(path, *rest)
    elif verb == "gitlab":
        gitlab(path, rest[0], pairs(rest[1:]))
    elif verb == "hook":
        hook(path, rest[0], list(rest[1:]))
    else:
        sys.exit(f"no such verb: {verb}")


main(*sys.argv[1:])
