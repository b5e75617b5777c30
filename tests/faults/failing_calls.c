/* Lets the n-th system call of a kind fail on files below a folder; for LD_PRELOAD.

   FAULTS_FOLDER names the folder. FAULTS_CONTROL names a file of five 64-bit numbers, shared by all processes:
   the kind, the error, n (0 for never), whether all later calls fail too, and how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WRITE, RENAME, SYNC, OPEN };
static struct { volatile int64_t kind, error, at, later, calls; } *control;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_CONTROL");
  folder = getenv("FAULTS_FOLDER");
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int fd = path && folder ? real(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *found = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (found != MAP_FAILED) control = found;
  close(fd);
}

static int below(const char *path) { return control && path && !strncmp(path, folder, strlen(folder)); }

static int below_fd(int fd) {
  char name[64], path[PATH_MAX];
  if (!control) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path);
}

/* 0: it goes on; 1: it fails; 2: it is the first of those that fail. */
static int fails(int kind) {
  if (control->kind != kind) return 0;
  int64_t number = __sync_add_and_fetch(&control->calls, 1);
  if (!control->at || number < control->at || (number > control->at && !control->later)) return 0;
  errno = (int)control->error;
  return number == control->at ? 2 : 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* A disk that becomes full takes the first half without an error. */
#define WRITES(name, parameters, ...)                                                        \
  ssize_t name parameters {                                                                  \
    REAL(name);                                                                              \
    int failed = below_fd(fd) ? fails(WRITE) : 0;                                            \
    if (failed == 2 && control->later && size > 1) size /= 2;                                \
    else if (failed) return -1;                                                              \
    return real(__VA_ARGS__);                                                                \
  }
WRITES(write, (int fd, const void *data, size_t size), fd, data, size)
WRITES(pwrite, (int fd, const void *data, size_t size, off_t offset), fd, data, size, offset)
WRITES(pwrite64, (int fd, const void *data, size_t size, off64_t offset), fd, data, size, offset)

#define CALLS(name, kind, counts, parameters, ...) \
  int name parameters {                            \
    REAL(name);                                    \
    if (counts && fails(kind)) return -1;          \
    return real(__VA_ARGS__);                      \
  }
CALLS(rename, RENAME, below(to), (const char *from, const char *to), from, to)
CALLS(renameat, RENAME, below(to), (int old, const char *from, int new, const char *to), old, from, new, to)
CALLS(fsync, SYNC, below_fd(fd), (int fd), fd)
CALLS(fdatasync, SYNC, below_fd(fd), (int fd), fd)

#define WRITING(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT))
#define OPENS(name, arguments, ...)                                       \
  int name arguments {                                                    \
    REAL(name);                                                           \
    va_list more;                                                         \
    va_start(more, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                         \
    if (WRITING(flags) && below(path) && fails(OPEN)) return -1;          \
    return real(__VA_ARGS__, mode);                                       \
  }
OPENS(open, (const char *path, int flags, ...), path, flags)
OPENS(open64, (const char *path, int flags, ...), path, flags)
OPENS(openat, (int at, const char *path, int flags, ...), at, path, flags)
OPENS(openat64, (int at, const char *path, int flags, ...), at, path, flags)
