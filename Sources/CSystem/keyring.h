/* The kernel's key ring of the user, without libkeyutils. Results as in shim.h. */
#ifndef VAULTTOOL_CSYSTEM_KEYRING_H
#define VAULTTOOL_CSYSTEM_KEYRING_H
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers of keyctl(2) and of the rings that every process has. */
enum {
  VT_KEY_REVOKE = 3, VT_KEY_SETPERM = 5, VT_KEY_DESCRIBE = 6, VT_KEY_LINK = 8, VT_KEY_UNLINK = 9,
  VT_KEY_SEARCH = 10, VT_KEY_READ = 11, VT_KEY_SET_TIMEOUT = 15,
  VT_PROCESS_RING = -2, VT_USER_RING = -4,
  VT_POSSESSOR_ONLY = 0x3f000000,
};

static inline long vt_keyctl(int operation, long a, long b, long c, long d) {
  return vt_result(syscall(SYS_keyctl, operation, a, b, c, d));
}

/* Makes what lies in the user's ring this process's own; needed once in each process. */
static inline long vt_key_possess(void) {
  return vt_keyctl(VT_KEY_LINK, VT_USER_RING, VT_PROCESS_RING, 0, 0);
}

/* The key's number. `name` ends in NUL. It gets its permissions and time-out in the ring of this process, which no
 * other process sees and which ends with it, so that no key can stay in the user's ring that has neither. */
static inline long vt_key_add(const char *name, const uint8_t *payload, size_t count, uint32_t seconds) {
  long key = vt_result(syscall(SYS_add_key, "user", name, payload, count, (long)VT_PROCESS_RING));
  long bad = key < 0 ? key : vt_keyctl(VT_KEY_SETPERM, key, VT_POSSESSOR_ONLY, 0, 0);
  if (bad >= 0) bad = vt_keyctl(VT_KEY_SET_TIMEOUT, key, (long)seconds, 0, 0);
  if (bad >= 0) bad = vt_keyctl(VT_KEY_LINK, key, VT_USER_RING, 0, 0);
  if (bad < 0 && key > 0) vt_keyctl(VT_KEY_REVOKE, key, 0, 0, 0);
  if (key > 0) vt_keyctl(VT_KEY_UNLINK, key, VT_PROCESS_RING, 0, 0);
  return bad < 0 ? bad : key;
}

static inline long vt_key_find(const char *name) {
  return vt_keyctl(VT_KEY_SEARCH, VT_USER_RING, (long)"user", (long)name, 0);
}
static inline long vt_key_renew(int32_t key, uint32_t seconds) {
  return vt_keyctl(VT_KEY_SET_TIMEOUT, key, (long)seconds, 0, 0);
}

/* The key's byte count, whatever room there is. */
static inline long vt_key_read(int32_t key, uint8_t *out, size_t capacity) {
  return vt_keyctl(VT_KEY_READ, key, (long)out, (long)capacity, 0);
}
/* The same for "type;uid;gid;permissions;name" with a NUL at its end. */
static inline long vt_key_describe(int32_t key, uint8_t *out, size_t capacity) {
  return vt_keyctl(VT_KEY_DESCRIBE, key, (long)out, (long)capacity, 0);
}
/* The byte count of the numbers (4 bytes each) of all keys in the user's ring. */
static inline long vt_key_list(int32_t *out, size_t capacity) {
  return vt_keyctl(VT_KEY_READ, VT_USER_RING, (long)out, (long)(capacity * 4), 0);
}

/* The payload is gone at once, the entry with it. */
static inline long vt_key_remove(int32_t key) {
  long r = vt_keyctl(VT_KEY_REVOKE, key, 0, 0, 0);
  vt_keyctl(VT_KEY_UNLINK, key, VT_USER_RING, 0, 0);
  return r;
}
#endif
