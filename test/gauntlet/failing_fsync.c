/* Loaded into a hub by LD_PRELOAD: while the file named by FSYNC_FAILS exists, nothing reaches the disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int failing(void) {
  const char *path = getenv("FSYNC_FAILS");
  return path != NULL && access(path, F_OK) == 0;
}

static int forward(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (failing()) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fsync(int fd) { return forward("fsync", fd); }
int fdatasync(int fd) { return forward("fdatasync", fd); }
