/* Kernel calls that Glibc's Swift module lacks, or that are safer with a checked name.
 * Every shim returns a result >= 0 or -errno, so that no caller ever reads errno.
 * A name is one path component given by address and byte count, without a final NUL. */
#ifndef VAULTTOOL_CSYSTEM_SHIM_H
#define VAULTTOOL_CSYSTEM_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long vt_result(long r) { return r < 0 ? -(long)errno : r; }

/* MARK: names */

#define VT_NAME_MAX 255
#define VT_PATH_MAX 4095

/* Copies a single component and ends it with NUL. "", ".", "..", '/' and NUL are refused, so no name
 * can lead out of the folder it is looked up in. */
static inline long vt_name(char out[VT_NAME_MAX + 1], const uint8_t *name, size_t count) {
  if (count == 0 || memchr(name, 0, count) != NULL || memchr(name, '/', count) != NULL) return -EINVAL;
  if (count > VT_NAME_MAX) return -ENAMETOOLONG;
  if (name[0] == '.' && (count == 1 || (count == 2 && name[1] == '.'))) return -EINVAL;
  memcpy(out, name, count);
  out[count] = 0;
  return 0;
}

static inline long vt_path(char out[VT_PATH_MAX + 1], const uint8_t *path, size_t count) {
  if (count == 0) return -ENOENT;
  if (memchr(path, 0, count) != NULL) return -EINVAL;
  if (count > VT_PATH_MAX) return -ENAMETOOLONG;
  memcpy(out, path, count);
  out[count] = 0;
  return 0;
}

/* MARK: opening */

enum {
  VT_FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
  VT_READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
  VT_READ_WRITE = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
  VT_CREATE = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
};

static inline long vt_open_folder_path(const uint8_t *path, size_t count) {
  char p[VT_PATH_MAX + 1];
  long bad = vt_path(p, path, count);
  return bad != 0 ? bad : vt_result(open(p, VT_FOLDER));
}

static inline long vt_reopen_folder(int folder) { return vt_result(openat(folder, ".", VT_FOLDER)); }

static inline long vt_open_folder(int folder, const uint8_t *name, size_t count) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(openat(folder, n, VT_FOLDER | O_NOFOLLOW));
}

static inline long vt_open_file(int folder, const uint8_t *name, size_t count, int flags, uint32_t mode) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(openat(folder, n, flags, (mode_t)mode));
}

/* MARK: status */

struct vt_status {
  uint64_t device, inode, byte_count;
  int64_t modified_seconds, changed_seconds;
  uint32_t modified_nanoseconds, changed_nanoseconds;
  uint32_t mode;
};

static inline void vt_fill_status(struct vt_status *out, const struct stat *s) {
  out->device = (uint64_t)s->st_dev;
  out->inode = (uint64_t)s->st_ino;
  out->byte_count = s->st_size < 0 ? 0 : (uint64_t)s->st_size;
  out->modified_seconds = s->st_mtim.tv_sec;
  out->modified_nanoseconds = (uint32_t)s->st_mtim.tv_nsec;
  out->changed_seconds = s->st_ctim.tv_sec;
  out->changed_nanoseconds = (uint32_t)s->st_ctim.tv_nsec;
  out->mode = s->st_mode;
}

static inline long vt_status_at(int folder, const uint8_t *name, size_t count, struct vt_status *out) {
  char n[VT_NAME_MAX + 1];
  struct stat s;
  long r = vt_name(n, name, count);
  if (r == 0) r = vt_result(fstatat(folder, n, &s, AT_SYMLINK_NOFOLLOW));
  if (r == 0) vt_fill_status(out, &s);
  return r;
}

static inline long vt_status_of(int file, struct vt_status *out) {
  struct stat s;
  long r = vt_result(fstat(file, &s));
  if (r == 0) vt_fill_status(out, &s);
  return r;
}

/* The kernel's struct statx (256 bytes); Glibc's module hides it. */
struct vt_statx_time { int64_t seconds; uint32_t nanoseconds; int32_t zero; };
struct vt_statx {
  uint32_t mask, block_size;
  uint64_t attributes;
  uint32_t links, user, group;
  uint16_t mode, zero;
  uint64_t inode, size, blocks, attributes_mask;
  struct vt_statx_time accessed, born, changed, modified;
  uint64_t rest[16];
};

/* 1 and the time where the file system keeps one, else 0. `name` NULL asks about the descriptor itself. */
static inline long vt_birth(int fd, const uint8_t *name, size_t count, int64_t *seconds, uint32_t *nanoseconds) {
  char n[VT_NAME_MAX + 1] = "";
  struct vt_statx s;
  long r = name != NULL ? vt_name(n, name, count) : 0;
  memset(&s, 0, sizeof s);
  if (r == 0)
    r = vt_result(syscall(SYS_statx, fd, n, 0x100 /* AT_SYMLINK_NOFOLLOW */ | (name != NULL ? 0 : 0x1000 /* AT_EMPTY_PATH */),
                          0x800u /* STATX_BTIME */, &s));
  if (r != 0) return r;
  if ((s.mask & 0x800u) == 0) return 0;
  *seconds = s.born.seconds;
  *nanoseconds = s.born.nanoseconds;
  return 1;
}

/* MARK: changing a folder */

static inline long vt_make_folder(int folder, const uint8_t *name, size_t count, uint32_t mode) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(mkdirat(folder, n, (mode_t)mode));
}

enum { VT_UNLINK_FILE = 0, VT_UNLINK_FOLDER = AT_REMOVEDIR };

static inline long vt_unlink(int folder, const uint8_t *name, size_t count, int flags) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(unlinkat(folder, n, flags));
}

enum { VT_REPLACE = 0, VT_NO_REPLACE = 1 /* RENAME_NOREPLACE */ };

static inline long vt_rename(int from, const uint8_t *name, size_t count, int to, const uint8_t *new_name,
                             size_t new_count, unsigned flags) {
  char a[VT_NAME_MAX + 1], b[VT_NAME_MAX + 1];
  long bad = vt_name(a, name, count);
  if (bad == 0) bad = vt_name(b, new_name, new_count);
  if (bad != 0) return bad;
  if (flags == VT_REPLACE) return vt_result(renameat(from, a, to, b));
  return vt_result(syscall(SYS_renameat2, from, a, to, b, flags));
}

static inline long vt_link(int from, const uint8_t *name, size_t count, int to, const uint8_t *new_name,
                           size_t new_count) {
  char a[VT_NAME_MAX + 1], b[VT_NAME_MAX + 1];
  long bad = vt_name(a, name, count);
  if (bad == 0) bad = vt_name(b, new_name, new_count);
  return bad != 0 ? bad : vt_result(linkat(from, a, to, b, 0));
}

static inline long vt_make_symlink(int folder, const uint8_t *name, size_t count, const uint8_t *target,
                                   size_t target_count) {
  char n[VT_NAME_MAX + 1], t[VT_PATH_MAX + 1];
  long bad = vt_name(n, name, count);
  if (bad == 0) bad = vt_path(t, target, target_count);
  return bad != 0 ? bad : vt_result(symlinkat(t, folder, n));
}

static inline long vt_read_link(int folder, const uint8_t *name, size_t count, uint8_t *out, size_t capacity) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(readlinkat(folder, n, (char *)out, capacity));
}

static inline void vt_times(struct timespec out[2], int64_t seconds, uint32_t nanoseconds) {
  out[0].tv_sec = 0;
  out[0].tv_nsec = (1L << 30) - 2L; /* UTIME_OMIT: the access time stays */
  out[1].tv_sec = seconds;
  out[1].tv_nsec = (long)nanoseconds;
}

static inline long vt_set_times_at(int folder, const uint8_t *name, size_t count, int64_t seconds,
                                   uint32_t nanoseconds) {
  char n[VT_NAME_MAX + 1];
  struct timespec t[2];
  long bad = vt_name(n, name, count);
  vt_times(t, seconds, nanoseconds);
  return bad != 0 ? bad : vt_result(utimensat(folder, n, t, AT_SYMLINK_NOFOLLOW));
}

static inline long vt_set_times(int file, int64_t seconds, uint32_t nanoseconds) {
  struct timespec t[2];
  vt_times(t, seconds, nanoseconds);
  return vt_result(futimens(file, t));
}

static inline long vt_set_mode_at(int folder, const uint8_t *name, size_t count, uint32_t mode) {
  char n[VT_NAME_MAX + 1];
  long bad = vt_name(n, name, count);
  return bad != 0 ? bad : vt_result(fchmodat(folder, n, (mode_t)mode, AT_SYMLINK_NOFOLLOW));
}

/* MARK: listing */

static inline long vt_entries(int folder, uint8_t *out, size_t capacity) {
  return vt_result(syscall(SYS_getdents64, folder, out, capacity));
}

/* MARK: reading and writing */

static inline long vt_read(int file, uint8_t *out, size_t count) { return vt_result(read(file, out, count)); }

static inline long vt_write(int file, const uint8_t *bytes, size_t count) {
  return vt_result(write(file, bytes, count));
}

static inline long vt_pread(int file, uint8_t *out, size_t count, uint64_t offset) {
  return offset > INT64_MAX ? -EINVAL : vt_result(pread(file, out, count, (off_t)offset));
}

static inline long vt_pwrite(int file, const uint8_t *bytes, size_t count, uint64_t offset) {
  return offset > INT64_MAX ? -EINVAL : vt_result(pwrite(file, bytes, count, (off_t)offset));
}

static inline long vt_truncate(int file, uint64_t count) {
  return count > INT64_MAX ? -EINVAL : vt_result(ftruncate(file, (off_t)count));
}

static inline long vt_set_mode(int file, uint32_t mode) { return vt_result(fchmod(file, (mode_t)mode)); }
static inline long vt_sync(int file) { return vt_result(fsync(file)); }
static inline long vt_sync_file_system(int file) { return vt_result(syscall(SYS_syncfs, file)); }
static inline long vt_close(int file) { return vt_result(close(file)); }
static inline long vt_rewind(int file) { return vt_result(lseek(file, 0, SEEK_SET)); }
/* A file that lies in memory only and closes in children. */
static inline long vt_memory_file(void) {
  return vt_result(syscall(SYS_memfd_create, "vaulttool", 1u /* MFD_CLOEXEC */));
}
static inline long vt_lock(int file) { return vt_result(flock(file, LOCK_EX | LOCK_NB)); }
static inline long vt_lock_shared(int file) { return vt_result(flock(file, LOCK_SH | LOCK_NB)); }

/* MARK: clock, processors, texts */

static inline void vt_clock(int monotonic, int64_t *seconds, uint32_t *nanoseconds) {
  struct timespec t = {0, 0};
  clock_gettime(monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, &t);
  *seconds = t.tv_sec;
  *nanoseconds = (uint32_t)t.tv_nsec;
}

static inline void vt_pause(uint32_t milliseconds) {
  struct timespec t = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};
  nanosleep(&t, NULL);
}

/* Processors this process may run on, at least 1. */
static inline long vt_processor_count(void) {
  unsigned char mask[8192] = {0};
  long count = 0, used = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  for (long i = 0; i < used; i++) count += __builtin_popcount(mask[i]);
  return count > 0 ? count : 1;
}

/* Descriptors this process may have open at the same time. */
static inline long vt_open_file_limit(void) { return sysconf(_SC_OPEN_MAX); }

/* A text with static life in plain English whatever the locale, or NULL for an unknown number. */
const char *strerrordesc_np(int code);

#include "keyring.h"
#include "process.h"
#endif
