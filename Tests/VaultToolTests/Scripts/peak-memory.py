#!/usr/bin/env python3
"""Run a command and print its peak resident memory.

  peak-memory.py COMMAND [ARGUMENT]...

The command's standard output is thrown away; its status is passed on. The one line on standard
output is the peak in kibibytes. (A test cannot measure this itself: a child that was spawned
inherits the peak of its parent, and this interpreter is small.)
"""
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status if status >= 0 else 128 - status)
