/* Preloaded: counts what is done to files below two folders, and makes the n-th of it fail or end the process.

   The count is in a mapped file, so that children and the test share it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
  int at;   /* the one that fails, from 1; 0 for none */
  int code; /* errno, or 0 to end the process */
  int seen; /* so far */
  int fired;
  char roots[2][512];
  char what[8192]; /* the one that failed */
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("STTEST_FAULT_CONTROL");
  int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *found = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (found != MAP_FAILED) control = found;
}

static int is_ours(const char *path) {
  for (int i = 0; i < 2; i++) {
    size_t length = strlen(control->roots[i]);
    if (length && !strncmp(path, control->roots[i], length)) return 1;
  }
  return 0;
}

/* Whether the call fails now. */
static int fails(const char *name, const char *path) {
  if (!control || !path) return 0;
  char whole[PATH_MAX + 1];
  if (path[0] != '/') {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return 0;
    snprintf(whole, sizeof whole, "%s/%s", here, path);
    path = whole;
  }
  if (!is_ours(path)) return 0;
  int number = __atomic_add_fetch(&control->seen, 1, __ATOMIC_SEQ_CST);
  if (number != control->at) return 0;
  control->fired = 1;
  snprintf(control->what, sizeof control->what, "%s %s", name, path);
  if (!control->code) kill(getpid(), SIGKILL);
  errno = control->code;
  return 1;
}

static int fails_on(const char *name, int file) {
  if (!control) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return path[0] == '/' && fails(name, path); /* else a pipe or a socket */
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))
#define WRITES(flags) (((flags) & O_ACCMODE) != O_RDONLY)
#define MODE(flags)                                   \
  mode_t mode = 0;                                    \
  if ((flags) & (O_CREAT | O_TMPFILE)) {              \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode = va_arg(rest, mode_t);                      \
    va_end(rest);                                     \
  }

#define OPEN(name)                                    \
  int name(const char *path, int flags, ...) {        \
    MODE(flags)                                       \
    if (WRITES(flags) && fails("open", path)) return -1; \
    return NEXT(int (*)(const char *, int, ...), #name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                  \
  int name(int folder, const char *path, int flags, ...) { \
    MODE(flags)                                       \
    if (WRITES(flags) && fails("open", path)) return -1; \
    return NEXT(int (*)(int, const char *, int, ...), #name)(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) {
  if (fails_on("write", file)) return -1;
  return NEXT(ssize_t (*)(int, const void *, size_t), "write")(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  if (fails_on("write", file)) return -1;
  return NEXT(ssize_t (*)(int, const struct iovec *, int), "writev")(file, parts, count);
}

#define PWRITE(name, place_type)                      \
  ssize_t name(int file, const void *data, size_t size, place_type place) { \
    if (fails_on("write", file)) return -1;           \
    return NEXT(ssize_t (*)(int, const void *, size_t, place_type), #name)(file, data, size, place); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int rename(const char *from, const char *to) {
  if (fails("rename", to)) return -1;
  return NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int renameat(int in, const char *from, int out, const char *to) {
  if (fails("rename", to)) return -1;
  return NEXT(int (*)(int, const char *, int, const char *), "renameat")(in, from, out, to);
}

int mkdir(const char *path, mode_t mode) {
  if (fails("mkdir", path)) return -1;
  return NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

#define SYNC(name)                                    \
  int name(int file) {                                \
    if (fails_on(#name, file)) return -1;             \
    return NEXT(int (*)(int), #name)(file);           \
  }
SYNC(fsync)
SYNC(fdatasync)
