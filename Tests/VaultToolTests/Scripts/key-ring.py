#!/usr/bin/env python3
"""Look at a key in the user's key ring, or shorten its time-out.

  key-ring.py read NAME             the payload in hex and the permissions, a line each
  key-ring.py expire NAME SECONDS   sets the time-out

Ends with status 1 where there is no such key.
"""
import ctypes
import platform
import sys

KEYCTL = {"x86_64": 250, "aarch64": 219}[platform.machine()]
LINK, DESCRIBE, SEARCH, READ, SET_TIMEOUT = 8, 6, 10, 11, 15
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.syscall(KEYCTL, LINK, -4, -2)
key = libc.syscall(KEYCTL, SEARCH, -4, b"user", sys.argv[2].encode(), 0)
if key < 0:
    sys.exit(1)
if sys.argv[1] == "expire":
    sys.exit(0 if libc.syscall(KEYCTL, SET_TIMEOUT, key, int(sys.argv[3]), 0, 0) == 0 else 1)
buffer = ctypes.create_string_buffer(8192)
count = libc.syscall(KEYCTL, READ, key, buffer, len(buffer), 0)
print(buffer.raw[:count].hex())
libc.syscall(KEYCTL, DESCRIBE, key, buffer, len(buffer), 0)
print(buffer.value.split(b";")[3].decode())
