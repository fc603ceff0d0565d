/* What a process may say about itself, its signals, and one child. Results as in shim.h. */
#ifndef VAULTTOOL_CSYSTEM_PROCESS_H
#define VAULTTOOL_CSYSTEM_PROCESS_H
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* No core file, and no tracing or reading of our memory by other processes of the same user. */
static inline long vt_disable_core_files(void) {
  struct rlimit none = {0, 0};
  return vt_result(setrlimit(RLIMIT_CORE, &none));
}
static inline long vt_forbid_tracing(void) { return vt_result(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }
static inline long vt_allows_tracing(void) { return vt_result(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)); }

/* Sets what a signal does; a handler runs without SA_RESTART. 1 if it was ignored and stays so. */
static inline long vt_catch_signal(int number, void (*handler)(int), struct sigaction *before) {
  struct sigaction now = {0};
  long r = vt_result(sigaction(number, NULL, before));
  if (r != 0 || before->sa_handler == SIG_IGN) return r != 0 ? r : 1;
  now.sa_handler = handler;
  sigemptyset(&now.sa_mask);
  return vt_result(sigaction(number, &now, NULL));
}
static inline long vt_restore_signal(int number, const struct sigaction *before) {
  return vt_result(sigaction(number, before, NULL));
}
static inline void vt_default_signal(int number) { signal(number, SIG_DFL); }
static inline void vt_ignore_signal(int number) { signal(number, SIG_IGN); }

/* A pipe whose ends close in children and never block: ends[0] is read, ends[1] written. */
static inline long vt_wakeup_pipe(int ends[2]) { return vt_result(pipe2(ends, O_CLOEXEC | O_NONBLOCK)); }
static inline long vt_pipe(int ends[2]) { return vt_result(pipe2(ends, O_CLOEXEC)); }

/* Reading from it returns at once where there is nothing. */
static inline long vt_never_block(int file) {
  long flags = vt_result(fcntl(file, F_GETFL));
  return flags < 0 ? flags : vt_result(fcntl(file, F_SETFL, flags | O_NONBLOCK));
}

/* Texts that each end in NUL, one after the other, as the array that exec takes; at most VT_TEXTS. */
enum { VT_TEXTS = 64 };
static inline long vt_texts(char *out[VT_TEXTS + 1], const uint8_t *texts, size_t byte_count) {
  size_t filled = 0;
  if (byte_count > 0 && texts[byte_count - 1] != 0) return -EINVAL;
  for (size_t at = 0; at < byte_count; at += strlen((const char *)texts + at) + 1) {
    if (filled == VT_TEXTS) return -E2BIG;
    out[filled++] = (char *)texts + at;
  }
  out[filled] = NULL;
  return 0;
}

/* Most descriptors that a child gets besides its first three. */
enum { VT_INHERITED = 8 };

/* Starts words[0] (a path) with `input` as stdin (-1: nothing to read), `output` as stdout, `errors` as stderr, the
 * descriptors of `inherited` as 3, 4, ... and no other of ours, in `folder` or, for NULL, in ours. Signals that we
 * ignore or catch have their usual effect there. The process id, or -errno. */
static inline long vt_spawn(char *const words[], char *const environment[], const uint8_t *folder, int input, int output,
                            int errors, const int *inherited, size_t inherited_count) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t usual;
  pid_t child = 0;
  /* Copies with numbers above all that the child will have, so that no step takes what a later one needs. */
  int given[3 + VT_INHERITED];
  size_t count = 0;
  int code = inherited_count > VT_INHERITED ? E2BIG : 0;
  for (size_t at = 0; code == 0 && at < 3 + inherited_count; at++) {
    int file = at == 0 ? input : at == 1 ? output : at == 2 ? errors : inherited[at - 3];
    given[at] = at == 0 && input < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                                     : fcntl(file, F_DUPFD_CLOEXEC, 3 + VT_INHERITED);
    if (given[at] < 0) code = errno;
    else count++;
  }
  if (code == 0) code = posix_spawn_file_actions_init(&files);
  if (code == 0) {
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
      sigemptyset(&usual);
      sigaddset(&usual, SIGPIPE);
      sigaddset(&usual, SIGXFSZ);
      code = posix_spawnattr_setsigdefault(&attributes, &usual);
      if (code == 0) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
      for (size_t at = 0; code == 0 && at < count; at++)
        code = posix_spawn_file_actions_adddup2(&files, given[at], (int)at);
      if (code == 0 && folder != NULL)
        code = posix_spawn_file_actions_addchdir_np(&files, (const char *)folder);
      if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&files, (int)count);
      if (code == 0) code = posix_spawn(&child, words[0], &files, &attributes, words, environment);
      posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
  }
  for (size_t at = 0; at < count; at++) close(given[at]);
  return code != 0 ? -(long)code : (long)child;
}

/* The same for /bin/sh -c with no input, our stderr and our environment. */
static inline long vt_spawn_shell(const uint8_t *command, int output) {
  char *const words[] = {(char *)"/bin/sh", (char *)"-c", (char *)"--", (char *)command, NULL};
  return vt_spawn(words, __environ, NULL, -1, output, 2, NULL, 0);
}

/* The same for a program whose words and environment are texts as of vt_texts. */
static inline long vt_spawn_program(const uint8_t *words, size_t words_count, const uint8_t *environment,
                                    size_t environment_count, const uint8_t *folder, int input, int output, int errors,
                                    const int *inherited, size_t inherited_count) {
  char *w[VT_TEXTS + 1], *e[VT_TEXTS + 1];
  long bad = vt_texts(w, words, words_count);
  if (bad == 0) bad = vt_texts(e, environment, environment_count);
  if (bad == 0 && w[0] == NULL) bad = -EINVAL;
  return bad != 0 ? bad : vt_spawn(w, e, folder, input, output, errors, inherited, inherited_count);
}

/* Waits for a child: its status from 0, 256 + n if signal n ended it, or -errno. */
static inline long vt_wait_for(int child) {
  int status = 0;
  long r;
  do r = vt_result(waitpid(child, &status, 0));
  while (r == -EINTR);
  if (r < 0) return r;
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
#endif
