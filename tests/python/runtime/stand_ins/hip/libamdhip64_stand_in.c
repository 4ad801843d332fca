/* A HIP runtime without an AMD GPU. Device memory is host memory; code objects are read, and kernels run, by Python
 * functions that conftest.py registers: these run them in the emulator. The functions called stand_in_* are for tests.
 *
 * ROCM=5 or 6 (default): whose hipDeviceProp_t is filled.
 * WITHOUT_LAUNCH: a library that is older than hipModuleLaunchKernel.
 * WITHOUT_HOST_FUNCTIONS: one that is older than hipLaunchHostFunc.
 * INIT_RESULT: what hipInit returns; DEVICE_COUNT: how many GPUs there are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef ROCM
#define ROCM 6
#endif
#ifndef INIT_RESULT
#define INIT_RESULT 0
#endif
#ifndef DEVICE_COUNT
#define DEVICE_COUNT 16
#endif

typedef int hipError_t;
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_DEVICE_FUNCTION = 98,
  INVALID_DEVICE = 101,
  NOT_FOUND = 500
};

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  uint64_t stream;
  int device;
} Launch;

typedef struct {
  int id, device;
  char *variable; /* the only one that modules have; null before somebody has asked for it */
  size_t variable_bytes;
} Module;

typedef struct {
  Module module;
  char name[256];
} Function;

typedef struct Allocation {
  char *begin;
  size_t bytes;
  int device;
  struct Allocation *next;
} Allocation;

typedef struct HostFunction {
  void (*function)(void *);
  void *argument;
  struct HostFunction *next;
} HostFunction;

/* Of Python: (code object, device) -> id of the module; (module, kernel, attribute or -1 to ask whether it exists) ->
 * value; (module, kernel, launch, parameters). A negative result is an error's number. */
static int (*load)(const void *image, int device);
static int (*describe)(int module, const char *kernel, int attribute);
static int (*run)(int module, const char *kernel, const Launch *launch, void **parameters);
/* (module, address of its variable) */
static int (*note_variable)(int module, void *variable);

static struct {
  char failing_function[64];
  hipError_t failure;
  int launches, cooperative_launches, memsets, unloaded, async_allocations, async_frees, async_bytes, host_allocations;
  Allocation *allocations;
  HostFunction *queued; /* of the host, on any stream: kernels have ended when their launch returns */
  int capturing;
} state;

static _Thread_local int current_device;
static _Thread_local hipError_t last_error;

/* Device 0 is a gfx942, device 1 a gfx950, and so on; the rest are like device 0. */
static const char *const architectures[] = {"gfx942:sramecc+:xnack-", "gfx950:sramecc+:xnack-", "gfx1100", ""};
static const char *architecture(int device) { return architectures[device < 4 ? device : 0]; }

static hipError_t finish(const char *function, hipError_t result) {
  if (!strcmp(function, state.failing_function)) {
    state.failing_function[0] = 0;
    result = state.failure;
  }
  if (result)
    last_error = result;
  return result;
}
#define DONE(result) return finish(__func__, result)
/* Also where a function that was told to fail must not do its work. */
#define FAIL_IF_TOLD()                                                                                                 \
  do {                                                                                                                 \
    if (!strcmp(__func__, state.failing_function))                                                                     \
      DONE(SUCCESS);                                                                                                   \
  } while (0)

/* For tests ------------------------------------------------------------------------------------------------------ */

EXPORT void stand_in_register(void *load_function, void *describe_function, void *run_function, void *note_function) {
  load = load_function, describe = describe_function, run = run_function, note_variable = note_function;
}
EXPORT void stand_in_fail(const char *function, hipError_t result) {
  strcpy(state.failing_function, function);
  state.failure = result;
}
/* Where the allocation that holds `address` begins, how long it is and on which device; 0 when there is none. */
EXPORT int stand_in_find(const char *address, const char **begin, size_t *bytes, int *device) {
  for (Allocation *a = state.allocations; a; a = a->next)
    if (a->begin <= address && address < a->begin + a->bytes)
      return *begin = a->begin, *bytes = a->bytes, *device = a->device, 1;
  return 0;
}
EXPORT int stand_in_unloaded(void) { return state.unloaded; }
EXPORT int stand_in_cooperative_launches(void) { return state.cooperative_launches; }
EXPORT int stand_in_memsets(void) { return state.memsets; }
/* Calls of hipMallocAsync and hipFreeAsync, and what the last one asked for. */
EXPORT int stand_in_async_allocations(void) { return state.async_allocations; }
EXPORT int stand_in_async_frees(void) { return state.async_frees; }
EXPORT int stand_in_async_bytes(void) { return state.async_bytes; }
EXPORT int stand_in_host_allocations(void) { return state.host_allocations; }
EXPORT void stand_in_capture(int status) { state.capturing = status; }
/* As a stream does when it gets there. */
static void run_host_functions(void) {
  while (state.queued) {
    HostFunction *first = state.queued;
    state.queued = first->next;
    first->function(first->argument);
    free(first);
  }
}
EXPORT hipError_t stand_in_last_error(void) { return last_error; }

/* The runtime ---------------------------------------------------------------------------------------------------- */

EXPORT hipError_t hipInit(unsigned flags) { DONE(INIT_RESULT); }
EXPORT hipError_t hipDriverGetVersion(int *version) {
  *version = ROCM * 10000000;
  DONE(SUCCESS);
}
EXPORT hipError_t hipGetDeviceCount(int *count) {
  *count = DEVICE_COUNT;
  DONE(SUCCESS);
}
EXPORT hipError_t hipGetLastError(void) {
  hipError_t result = last_error;
  return last_error = SUCCESS, result;
}
EXPORT const char *hipGetErrorName(hipError_t result) {
  return result == 700 ? "hipErrorIllegalAddress" : result == 701 ? "hipErrorLaunchOutOfResources" : "hipErrorStandIn";
}
EXPORT const char *hipGetErrorString(hipError_t result) {
#if ROCM == 5
  return hipGetErrorName(result);
#endif
  return result == 700   ? "an illegal memory access was encountered"
         : result == 701 ? "out of resources"
                         : "the stand-in was told to fail";
}

EXPORT hipError_t hipDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  DONE(ordinal < DEVICE_COUNT ? SUCCESS : INVALID_DEVICE);
}
EXPORT hipError_t hipDeviceGetName(char *name, int size, int device) {
  strncpy(name, device == 3 ? "" : "Stand-in GPU", size);
  DONE(SUCCESS);
}
EXPORT hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 63:
    *value = device == 1 ? 256 : 304;
    break;
  case 74:
    *value = device == 1 ? 160 * 1024 : 64 * 1024;
    break;
  default:
    DONE(INVALID_VALUE);
  }
  DONE(SUCCESS);
}
EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, int device) {
  *bytes = (size_t)192 << 30;
  DONE(SUCCESS);
}

/* The struct's size and the place of gcnArchName in it. */
static hipError_t fill(char *properties, int device, size_t size, size_t offset) {
  memset(properties, 0xCC, size); /* numbers of any value */
  memset(properties, 0, 256);
  strcpy(properties, "gfx: a field that is not the architecture");
  memset(properties + offset, 0, 256);
  strcpy(properties + offset, architecture(device));
  return SUCCESS;
}
/* Of ROCm 5, and kept under its name by ROCm 6. */
EXPORT hipError_t hipGetDeviceProperties(char *properties, int device) { DONE(fill(properties, device, 792, 396)); }
#if ROCM >= 6
EXPORT hipError_t hipGetDevicePropertiesR0600(char *properties, int device) {
  DONE(fill(properties, device, 1472, 1160));
}
#endif

EXPORT hipError_t hipGetDevice(int *device) {
  *device = current_device;
  DONE(SUCCESS);
}
EXPORT hipError_t hipSetDevice(int device) {
  FAIL_IF_TOLD();
  current_device = device;
  DONE(SUCCESS);
}
EXPORT hipError_t hipDeviceSynchronize(void) {
  run_host_functions();
  DONE(SUCCESS);
}
#ifndef WITHOUT_HOST_FUNCTIONS
EXPORT hipError_t hipLaunchHostFunc(void *stream, void (*function)(void *), void *argument) {
  FAIL_IF_TOLD();
  HostFunction **end = &state.queued;
  while (*end)
    end = &(*end)->next;
  *end = malloc(sizeof(HostFunction));
  **end = (HostFunction){function, argument, 0};
  DONE(SUCCESS);
}
#endif
EXPORT hipError_t hipStreamIsCapturing(void *stream, int *status) {
  *status = state.capturing;
  DONE(SUCCESS);
}

EXPORT hipError_t hipModuleLoadData(Module **module, const void *image) {
  FAIL_IF_TOLD();
  int id = load(image, current_device);
  if (id < 0)
    DONE(-id);
  *module = malloc(sizeof(Module));
  **module = (Module){id, current_device, 0, 0};
  DONE(SUCCESS);
}
EXPORT hipError_t hipModuleUnload(Module *module) {
  ++state.unloaded;
  free(module);
  DONE(SUCCESS);
}
EXPORT hipError_t hipModuleGetFunction(Function **function, Module *module, const char *name) {
  if (describe(module->id, name, -1) < 0)
    DONE(NOT_FOUND);
  *function = malloc(sizeof(Function)); /* HIP's live as long as their modules; these few stay */
  (*function)->module = *module;
  strcpy((*function)->name, name);
  DONE(SUCCESS);
}
EXPORT hipError_t hipModuleGetGlobal(char **pointer, size_t *bytes, Module *module, const char *name) {
  int size = describe(module->id, name, -2);
  if (size < 0)
    DONE(NOT_FOUND);
  if (!module->variable) {
    if (hipMalloc((void **)&module->variable, size))
      DONE(OUT_OF_MEMORY);
    memset(module->variable, 0, module->variable_bytes = size);
    note_variable(module->id, module->variable);
  }
  *pointer = module->variable;
  *bytes = module->variable_bytes;
  DONE(SUCCESS);
}
EXPORT hipError_t hipFuncGetAttribute(int *value, int attribute, Function *function) {
  *value = describe(function->module.id, function->name, attribute);
  DONE(*value < 0 ? -*value : SUCCESS);
}
#ifndef WITHOUT_LAUNCH
EXPORT hipError_t hipModuleLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                        unsigned by, unsigned bz, unsigned shared_bytes, void *stream,
                                        void **parameters, void **extra) {
  FAIL_IF_TOLD();
  if (function->module.device != current_device)
    DONE(INVALID_DEVICE_FUNCTION);
  if (extra || (uint64_t)gx * bx > UINT32_MAX)
    DONE(INVALID_VALUE);
  Launch launch = {{gx, gy, gz}, {bx, by, bz}, shared_bytes, (uint64_t)(uintptr_t)stream, current_device};
  ++state.launches;
  DONE(-run(function->module.id, function->name, &launch, parameters));
}
#endif
EXPORT hipError_t hipModuleLaunchCooperativeKernel(Function *function, unsigned gx, unsigned gy, unsigned gz,
                                                   unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes,
                                                   void *stream, void **parameters) {
  FAIL_IF_TOLD();
  Launch launch = {{gx, gy, gz}, {bx, by, bz}, shared_bytes, (uint64_t)(uintptr_t)stream, current_device};
  ++state.launches;
  ++state.cooperative_launches;
  DONE(-run(function->module.id, function->name, &launch, parameters));
}
EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads,
                                                                    size_t shared_bytes) {
  *blocks = 2;
  DONE(SUCCESS);
}

EXPORT hipError_t hipMalloc(void **pointer, size_t bytes) {
  FAIL_IF_TOLD();
  Allocation *a = malloc(sizeof(Allocation));
  if (posix_memalign((void **)&a->begin, 256, bytes))
    DONE(OUT_OF_MEMORY);
  a->bytes = bytes, a->device = current_device, a->next = state.allocations;
  state.allocations = a;
  *pointer = a->begin;
  DONE(SUCCESS);
}
EXPORT hipError_t hipFree(char *pointer) {
  for (Allocation **a = &state.allocations; *a; a = &(*a)->next)
    if ((*a)->begin == pointer) {
      Allocation *found = *a;
      *a = found->next;
      free(found->begin);
      free(found);
      DONE(SUCCESS);
    }
  DONE(INVALID_VALUE);
}
/* Without flags, for copies. Nothing else than shared finely, and at one address for all devices, is of use for
   messages. */
EXPORT hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags) {
  FAIL_IF_TOLD();
  if (!flags)
    DONE((*pointer = malloc(bytes)) ? SUCCESS : INVALID_VALUE);
  if (flags != (0x1 | 0x40000000))
    DONE(INVALID_VALUE);
  ++state.host_allocations;
  hipError_t result = hipMalloc(pointer, bytes);
  if (!result)
    memset(*pointer, 0xCD, bytes);
  DONE(result);
}
EXPORT hipError_t hipMallocAsync(void **pointer, size_t bytes, void *stream) {
  FAIL_IF_TOLD();
  ++state.async_allocations;
  state.async_bytes = (int)bytes;
  return hipMalloc(pointer, bytes);
}
EXPORT hipError_t hipFreeAsync(char *pointer, void *stream) {
  ++state.async_frees;
  return hipFree(pointer);
}
EXPORT hipError_t hipPointerGetAttribute(int *value, int attribute, const char *pointer) {
  const char *begin;
  size_t bytes;
  DONE(attribute == 9 && stand_in_find(pointer, &begin, &bytes, value) ? SUCCESS : INVALID_VALUE);
}
EXPORT hipError_t hipMemsetD32Async(unsigned *to, int value, size_t count, void *stream) {
  const char *begin;
  size_t bytes;
  int device;
  if (!stand_in_find((char *)to, &begin, &bytes, &device) || (char *)(to + count) > begin + bytes)
    DONE(INVALID_VALUE);
  /* Nothing reads what lies between in what only flushes the cache. */
  for (size_t i = 0; i < count; i += count > (1 << 24) ? count - 1 : 1)
    to[i] = value;
  ++state.memsets;
  DONE(SUCCESS);
}

/* What is queued has always happened. */
EXPORT hipError_t hipStreamCreateWithFlags(void **stream, unsigned flags) {
  FAIL_IF_TOLD();
  *stream = calloc(1, 1);
  DONE(SUCCESS);
}
EXPORT hipError_t hipStreamDestroy(void *stream) {
  free(stream);
  DONE(SUCCESS);
}
EXPORT hipError_t hipStreamSynchronize(void *stream) { DONE(SUCCESS); }
EXPORT hipError_t hipStreamWaitEvent(void *stream, int *event, unsigned flags) { DONE(SUCCESS); }
EXPORT hipError_t hipMemcpyDtoDAsync(char *to, const char *from, size_t bytes, void *stream) {
  const char *begin;
  size_t size;
  int device;
  if (!stand_in_find(to, &begin, &size, &device) || to + bytes > begin + size)
    DONE(INVALID_VALUE);
  if (!stand_in_find(from, &begin, &size, &device) || from + bytes > begin + size)
    DONE(INVALID_VALUE);
  memcpy(to, from, bytes);
  DONE(SUCCESS);
}
EXPORT hipError_t hipMemcpyDtoHAsync(void *to, const char *from, size_t bytes, void *stream) {
  const char *begin;
  size_t size;
  int device;
  if (!stand_in_find(from, &begin, &size, &device) || from + bytes > begin + size)
    DONE(INVALID_VALUE);
  memcpy(to, from, bytes);
  DONE(SUCCESS);
}

/* An event is a time: a launch "takes" one millisecond, flushing the cache a second. */
EXPORT hipError_t hipEventCreateWithFlags(int **event, unsigned flags) {
  FAIL_IF_TOLD();
  *event = calloc(1, sizeof(int));
  DONE(SUCCESS);
}
EXPORT hipError_t hipEventDestroy(int *event) {
  free(event);
  DONE(SUCCESS);
}
EXPORT hipError_t hipEventRecord(int *event, void *stream) {
  *event = state.launches + 1000 * state.memsets;
  DONE(SUCCESS);
}
EXPORT hipError_t hipEventSynchronize(int *event) { DONE(SUCCESS); }
EXPORT hipError_t hipEventElapsedTime(float *milliseconds, int *start, int *end) {
  *milliseconds = (float)(*end - *start);
  DONE(SUCCESS);
}
