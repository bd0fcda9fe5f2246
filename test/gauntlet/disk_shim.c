/*
 * Loaded into a hub by LD_PRELOAD. It logs every change of a file system below DISK_ROOT, in the order in which they happen, to
 * DISK_LOG, from which power cuts are simulated; and while the file DISK_FAIL_AT exists, which holds a number and an errno, it
 * fails the change of that number, counted from when the file appeared.
 *
 * Lines of the log: C path ino (a name was made or is there) · W ino offset length, then that many bytes and a newline · T ino size ·
 * F ino (synced) · S path (folder synced) · R old new · U path · L old new · M path (folder made) · D path (folder removed).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -2;
static long seen = 0;

static int below(const char *path) {
  const char *root = getenv("DISK_ROOT");
  if (root == NULL || path == NULL) return 0;
  size_t length = strlen(root);
  if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != 0)) return 0;
  /* Shared memory and sockets do not outlive a power cut. */
  return strstr(path, "-shm") == NULL && strstr(path, ".sock") == NULL && strstr(path + length, "/tmp/") == NULL;
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 4095);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

static void absolute(const char *path, char *out) {
  if (path[0] == '/') snprintf(out, 4096, "%s", path);
  else {
    char cwd[2048];
    snprintf(out, 4096, "%s/%s", getcwd(cwd, sizeof cwd) == NULL ? "" : cwd, path);
  }
}

static unsigned long inode(int fd) {
  struct stat stats;
  return fstat(fd, &stats) == 0 ? (unsigned long)stats.st_ino : 0;
}

static ssize_t put(const void *bytes, size_t length) {
  return REAL(ssize_t, "write", int, const void *, size_t)(log_fd, bytes, length);
}

static void say(const char *format, ...) {
  if (log_fd == -2) {
    const char *path = getenv("DISK_LOG");
    log_fd = path == NULL ? -1 : REAL(int, "open64", const char *, int, ...)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
  if (log_fd < 0) return;
  char line[9000];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  put(line, (size_t)length);
}

/* Whether this change is the one to fail; sets errno. Called with the lock held. */
static int fails(void) {
  const char *path = getenv("DISK_FAIL_AT");
  if (path == NULL) return 0;
  int file = REAL(int, "open64", const char *, int, ...)(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64] = {0};
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  long at = 0;
  int code = 0;
  if (length <= 0 || sscanf(text, "%ld %d", &at, &code) != 2) return 0;
  seen += 1;
  if (seen != at) return 0;
  errno = code;
  return 1;
}

#define BEGIN(failed) \
  pthread_mutex_lock(&lock); \
  if (fails()) { pthread_mutex_unlock(&lock); return failed; }
#define END(result) \
  { int kept = errno; pthread_mutex_unlock(&lock); errno = kept; return result; }

static int opened(int (*real)(const char *, int, ...), const char *name, int flags, mode_t mode) {
  char path[4096];
  absolute(name, path);
  if (!below(path) || (flags & (O_CREAT | O_TRUNC)) == 0 || (flags & O_TMPFILE) == O_TMPFILE) return real(name, flags, mode);
  BEGIN(-1)
  int fd = real(name, flags, mode);
  if (fd >= 0) {
    say("C %s %lu\n", path, inode(fd));
    if (flags & O_TRUNC) say("T %lu 0\n", inode(fd));
  }
  END(fd)
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    return opened(REAL(int, #name, const char *, int, ...), path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

static void wrote(int fd, off_t offset, const struct iovec *parts, int count, ssize_t length) {
  if (length <= 0) return;
  say("W %lu %ld %ld\n", inode(fd), (long)offset, (long)length);
  for (int at = 0; at < count && length > 0; at++) {
    size_t piece = parts[at].iov_len < (size_t)length ? parts[at].iov_len : (size_t)length;
    if (log_fd >= 0) put(parts[at].iov_base, piece);
    length -= (ssize_t)piece;
  }
  say("\n");
}

ssize_t write(int fd, const void *bytes, size_t length) {
  ssize_t (*real)(int, const void *, size_t) = REAL(ssize_t, "write", int, const void *, size_t);
  char path[4096];
  if (!path_of(fd, path)) return real(fd, bytes, length);
  BEGIN(-1)
  ssize_t done = real(fd, bytes, length);
  struct iovec part = {(void *)bytes, length};
  if (done > 0) wrote(fd, lseek(fd, 0, SEEK_CUR) - done, &part, 1, done);
  END(done)
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t (*real)(int, const struct iovec *, int) = REAL(ssize_t, "writev", int, const struct iovec *, int);
  char path[4096];
  if (!path_of(fd, path)) return real(fd, parts, count);
  BEGIN(-1)
  ssize_t done = real(fd, parts, count);
  if (done > 0) wrote(fd, lseek(fd, 0, SEEK_CUR) - done, parts, count, done);
  END(done)
}

#define PWRITE(name) \
  ssize_t name(int fd, const void *bytes, size_t length, off_t offset) { \
    ssize_t (*real)(int, const void *, size_t, off_t) = REAL(ssize_t, #name, int, const void *, size_t, off_t); \
    char path[4096]; \
    if (!path_of(fd, path)) return real(fd, bytes, length, offset); \
    BEGIN(-1) \
    ssize_t done = real(fd, bytes, length, offset); \
    struct iovec part = {(void *)bytes, length}; \
    wrote(fd, offset, &part, 1, done); \
    END(done) \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PWRITEV(name) \
  ssize_t name(int fd, const struct iovec *parts, int count, off_t offset) { \
    ssize_t (*real)(int, const struct iovec *, int, off_t) = REAL(ssize_t, #name, int, const struct iovec *, int, off_t); \
    char path[4096]; \
    if (!path_of(fd, path)) return real(fd, parts, count, offset); \
    BEGIN(-1) \
    ssize_t done = real(fd, parts, count, offset); \
    wrote(fd, offset, parts, count, done); \
    END(done) \
  }
PWRITEV(pwritev)
PWRITEV(pwritev64)

#define TRUNCATE(name) \
  int name(int fd, off_t size) { \
    int (*real)(int, off_t) = REAL(int, #name, int, off_t); \
    char path[4096]; \
    if (!path_of(fd, path)) return real(fd, size); \
    BEGIN(-1) \
    int done = real(fd, size); \
    if (done == 0) say("T %lu %ld\n", inode(fd), (long)size); \
    END(done) \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

static int synced(const char *name, int fd) {
  int (*real)(int) = REAL(int, name, int);
  char path[4096];
  if (!path_of(fd, path)) return real(fd);
  BEGIN(-1)
  int done = real(fd);
  struct stat stats;
  if (done == 0 && fstat(fd, &stats) == 0) {
    if (S_ISDIR(stats.st_mode)) say("S %s\n", path);
    else say("F %lu\n", (unsigned long)stats.st_ino);
  }
  END(done)
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

#define NAMES(name, letter) \
  int name(const char *from, const char *to) { \
    int (*real)(const char *, const char *) = REAL(int, #name, const char *, const char *); \
    char old[4096], new[4096]; \
    absolute(from, old); \
    absolute(to, new); \
    if (!below(old) && !below(new)) return real(from, to); \
    BEGIN(-1) \
    int done = real(from, to); \
    if (done == 0) say(letter " %s %s\n", old, new); \
    END(done) \
  }
NAMES(rename, "R")
NAMES(link, "L")

#define NAME(name, letter, ...) \
  char path[4096]; \
  absolute(given, path); \
  if (!below(path)) return real(__VA_ARGS__); \
  BEGIN(-1) \
  int done = real(__VA_ARGS__); \
  if (done == 0) say(letter " %s\n", path); \
  END(done)

int unlink(const char *given) {
  int (*real)(const char *) = REAL(int, "unlink", const char *);
  NAME(unlink, "U", given)
}

int rmdir(const char *given) {
  int (*real)(const char *) = REAL(int, "rmdir", const char *);
  NAME(rmdir, "D", given)
}

/* Node 24 removes by these two. */
int remove(const char *given) {
  struct stat stats;
  return lstat(given, &stats) == 0 && S_ISDIR(stats.st_mode) ? rmdir(given) : unlink(given);
}

int unlinkat(int folder, const char *given, int flags) {
  int (*real)(int, const char *, int) = REAL(int, "unlinkat", int, const char *, int);
  char path[8192];
  if (given[0] == '/' || folder == AT_FDCWD) snprintf(path, sizeof path, "%s", given);
  else if (path_of(folder, path)) snprintf(path + strlen(path), 4096, "/%s", given);
  else return real(folder, given, flags);
  return (flags & AT_REMOVEDIR) != 0 ? rmdir(path) : unlink(path);
}

int mkdir(const char *given, mode_t mode) {
  int (*real)(const char *, mode_t) = REAL(int, "mkdir", const char *, mode_t);
  NAME(mkdir, "M", given, mode)
}
