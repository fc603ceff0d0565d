/* Kernel calls that Glibc's Swift module lacks. Every shim returns a result >= 0 or -errno. */
#ifndef VAULTTOOL_CSYSTEM_SHIM_H
#define VAULTTOOL_CSYSTEM_SHIM_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long vt_result(long r) { return r < 0 ? -(long)errno : r; }
#endif
