/* Stand-in for nvJitLink 13.0, which calls cuInit and returns an empty ELF file as the cubin. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int __nvJitLinkVersion_13_0(unsigned *major, unsigned *minor) { *major = 13, *minor = 0; return 0; }
int __nvJitLinkCreate_13_0(void **handle, unsigned count, const char **options) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver)
    ((int (*)(unsigned))dlsym(driver, "cuInit"))(0);
  return 0;
}
int __nvJitLinkDestroy_13_0(void **handle) { return 0; }
int __nvJitLinkAddData_13_0(void *handle, int type, const void *data, size_t size, const char *name) { return 0; }
int __nvJitLinkComplete_13_0(void *handle) { return 0; }
int __nvJitLinkGetLinkedCubinSize_13_0(void *handle, size_t *size) { *size = 4; return 0; }
int __nvJitLinkGetLinkedCubin_13_0(void *handle, void *cubin) { memcpy(cubin, "\177ELF", 4); return 0; }
int __nvJitLinkGetErrorLogSize_13_0(void *handle, size_t *size) { *size = 0; return 0; }
int __nvJitLinkGetErrorLog_13_0(void *handle, char *log) { return 0; }
