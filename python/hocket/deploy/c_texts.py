"""Text of the C sources of bundles that is equal for all bundles of a vendor.

`NAME` is replaced by the name of the bundle. The text is C11, needs POSIX's dlopen, and includes no header of the
vendor.
"""

COMMON = r"""#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[1024];

const char *NAME_error(void) { return message; }

static int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return -1;
}

/* SHA-256, by FIPS 180-4. */
static uint32_t rotated(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

static void sha256_block(uint32_t hash[8], const unsigned char *block) {
  static const uint32_t constants[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
      0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
      0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
      0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
      0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
      0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
      0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; ++i, block += 4)
    w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(s, hash, sizeof(s));
  for (int i = 0; i < 64; ++i) {
    uint32_t a = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) + constants[i] + w[i] +
                 ((s[4] & s[5]) ^ (~s[4] & s[6]));
    uint32_t b = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                 ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof(*s));
    s[4] += a;
    s[0] = a + b;
  }
  for (int i = 0; i < 8; ++i) hash[i] += s[i];
}

static void sha256(const unsigned char *bytes, size_t size, char hexadecimal[65]) {
  uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char end[128] = {0};
  size_t whole = size / 64 * 64, padded = size % 64 < 56 ? 64 : 128;
  memcpy(end, bytes + whole, size % 64);
  end[size % 64] = 0x80;
  for (int i = 0; i < 8; ++i)
    end[padded - 1 - i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
  for (size_t i = 0; i < whole; i += 64) sha256_block(hash, bytes + i);
  for (size_t i = 0; i < padded; i += 64) sha256_block(hash, end + i);
  for (int i = 0; i < 8; ++i)
    sprintf(hexadecimal + 8 * i, "%08x", (unsigned)hash[i]);
}

typedef struct {
  const char *name, *sha256; /* null if the bundle has no such file */
  size_t bytes;
} File;
typedef struct {
  const char *symbol;
  File code, ptx;
  unsigned threads, cluster, shared_bytes;
  int is_cooperative, is_programmatic, scratch_count;
  int64_t scratch[4][2]; /* bytes per launch, bytes per block */
} Kernel;

/* Returns the contents of a file of the bundle, with a zero at the end; null if the file was changed. */
static unsigned char *read_file(const char *folder, const File *file) {
  char path[4096], found[65];
  snprintf(path, sizeof(path), "%s/%s", folder, file->name);
  FILE *stream = fopen(path, "rb");
  if (!stream)
    return fail("%s cannot be opened", path), NULL;
  unsigned char *bytes = calloc(file->bytes + 2, 1);
  size_t size = bytes ? fread(bytes, 1, file->bytes + 1, stream) : 0;
  fclose(stream);
  if (size == file->bytes) {
    sha256(bytes, size, found);
    if (!strcmp(found, file->sha256))
      return bytes;
  }
  free(bytes);
  return fail("%s was changed after the export: its SHA-256 is not %s", path, file->sha256), NULL;
}

static void *library;
static int find(const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof(found));
  return found ? 0 : fail("the driver has no function %s", name);
}
#define DECLARE(type, name, ...) type (*name)(__VA_ARGS__);
#define FIND(type, name, ...) || find(#name, &driver.name)
static struct {
  FUNCTIONS(DECLARE)
} driver;
"""

#: The functions of the CUDA driver that each source uses.
CUDA_FUNCTIONS = r"""#define FUNCTIONS(F) \
  F(int, cuInit, unsigned) \
  F(int, cuGetErrorString, int, const char **) \
  F(int, cuCtxGetDevice, int *) \
  F(int, cuDeviceGetAttribute, int *, int, int) \
  F(int, cuModuleLoadDataEx, void **, const void *, unsigned, int *, void **) \
  F(int, cuModuleUnload, void *) \
  F(int, cuModuleGetFunction, void **, void *, const char *) \
  F(int, cuFuncSetAttribute, void *, int, int) \
  F(int, cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, \
    void **, void **) \
  F(int, cuMemAllocAsync, void **, size_t, void *) \
  F(int, cuMemFreeAsync, void *, void *) \
  F(int, cuMemsetD32Async, void *, unsigned, size_t, void *)"""
CUDA_ATTRIBUTE_FUNCTIONS = r""" \
  F(int, cuLaunchKernelEx, const Config *, void *, void **, void **)"""
CUDA_TENSOR_MAP_FUNCTIONS = r""" \
  F(int, cuTensorMapEncodeTiled, void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, \
    const uint32_t *, int, int, int, int)"""

#: Structs of cuLaunchKernelEx.
CUDA_ATTRIBUTES = r"""
typedef struct {
  int id, padding;
  union {
    int value;
    unsigned cluster[3];
    char bytes[64];
  } is;
} Attribute;
typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
  Attribute *attributes;
  unsigned count;
} Config;
"""

CUDA = r"""
static int check(int result, const char *doing) {
  const char *text = NULL;
  if (result)
    driver.cuGetErrorString(result, &text);
  return result ? fail("%s failed: %s (CUDA error %d)", doing, text ? text : "unknown error", result) : 0;
}

static int open_driver(void) {
  if (!library && !(library = dlopen("libcuda.so.1", RTLD_NOW)))
    return fail("the CUDA driver cannot be loaded: %s", dlerror());
  return 0 FUNCTIONS(FIND) ? -1 : check(driver.cuInit(0), "starting the CUDA driver");
}

/* Returns the file that the current GPU runs: the machine code, or PTX that its driver compiles. */
static const File *choose_file(const Kernel *kernel) {
  int device = 0, major = 0, minor = 0;
  if (check(driver.cuCtxGetDevice(&device), "finding the current CUDA context") ||
      check(driver.cuDeviceGetAttribute(&major, /*compute capability, major*/ 75, device), "querying the GPU") ||
      check(driver.cuDeviceGetAttribute(&minor, /*compute capability, minor*/ 76, device), "querying the GPU"))
    return NULL;
  int is_newer = major > TARGET_MAJOR || (major == TARGET_MAJOR && minor > TARGET_MINOR);
  if ((major == TARGET_MAJOR && minor == TARGET_MINOR) || (is_newer && TARGET_IS_PORTABLE)) {
    const File *file = kernel->code.name && major == TARGET_MAJOR ? &kernel->code : &kernel->ptx;
    return file->name ? file : (fail("NAME was exported without PTX, which this GPU needs"), NULL);
  }
  return fail("NAME was exported for %s, and the GPU has compute capability %d.%d", TARGET, major, minor), NULL;
}

static int load_code(const Kernel *kernel, const char *folder, NAME_module *to) {
  const File *file = choose_file(kernel);
  unsigned char *bytes = file ? read_file(folder, file) : NULL;
  int failed = !bytes || check(driver.cuModuleLoadDataEx(&to->module, bytes, 0, NULL, NULL), "loading a kernel") ||
               check(driver.cuModuleGetFunction(&to->function, to->module, kernel->symbol), "finding a kernel");
  free(bytes);
  if (!failed && kernel->shared_bytes > 48 * 1024) /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    failed = check(driver.cuFuncSetAttribute(to->function, 8, (int)kernel->shared_bytes), "reserving shared memory");
  if (!failed && kernel->cluster > 8) /* CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
    failed = check(driver.cuFuncSetAttribute(to->function, 14, 1), "allowing large clusters");
  return failed ? -1 : 0;
}

static int allocate(void **address, int64_t bytes, int is_zero, void *stream) {
  size_t size = (size_t)(bytes + 15) / 16 * 16;
  int failed = check(driver.cuMemAllocAsync(address, size, stream), "allocating temporary memory");
  return failed || !is_zero ? failed : check(driver.cuMemsetD32Async(*address, 0, size / 4, stream), "clearing memory");
}

static void release(void *address, void *stream) {
  if (address)
    driver.cuMemFreeAsync(address, stream);
}
"""

CUDA_START = r"""
static int start(const Kernel *kernel, void *function, const int64_t grid[3], void *stream, void **values) {
  return check(driver.cuLaunchKernel(function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2], kernel->threads,
                                     1, 1, kernel->shared_bytes, stream, values, NULL), kernel->symbol);
}
"""

CUDA_START_WITH_ATTRIBUTES = r"""
static int start(const Kernel *kernel, void *function, const int64_t grid[3], void *stream, void **values) {
  Attribute attributes[3] = {{0}};
  Config config = {{(unsigned)grid[0] * kernel->cluster, (unsigned)grid[1], (unsigned)grid[2]}, {kernel->threads, 1, 1},
                   kernel->shared_bytes, stream, attributes, 0};
  if (kernel->is_cooperative) /* CU_LAUNCH_ATTRIBUTE_COOPERATIVE */
    attributes[config.count++] = (Attribute){2, 0, {.value = 1}};
  if (kernel->is_programmatic) /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION */
    attributes[config.count++] = (Attribute){6, 0, {.value = 1}};
  if (kernel->cluster > 1) /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
    attributes[config.count++] = (Attribute){4, 0, {.cluster = {kernel->cluster, 1, 1}}};
  return check(driver.cuLaunchKernelEx(&config, function, values, NULL), kernel->symbol);
}
"""

TENSOR_MAPS = r"""
#define U64(...) (const uint64_t[]){__VA_ARGS__}
#define U32(...) (const uint32_t[]){__VA_ARGS__}
static int encode(void *map, int element, uint32_t rank, const void *address, const uint64_t *sizes,
                  const uint64_t *stride_bytes, const uint32_t *box, int swizzle, int fill) {
  static const uint32_t every[5] = {1, 1, 1, 1, 1};
  return check(driver.cuTensorMapEncodeTiled(map, element, rank, (void *)(uintptr_t)address, sizes, stride_bytes, box,
                                             every, 0, swizzle, 2, fill), "encoding a tensor map");
}
"""

HIP_FUNCTIONS = r"""#define FUNCTIONS(F) \
  F(int, hipInit, unsigned) \
  F(const char *, hipGetErrorString, int) \
  F(int, hipGetDevice, int *) \
  F(int, hipModuleLoadData, void **, const void *) \
  F(int, hipModuleUnload, void *) \
  F(int, hipModuleGetFunction, void **, void *, const char *) \
  F(int, hipModuleLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, \
    void **, void **) \
  F(int, hipMallocAsync, void **, size_t, void *) \
  F(int, hipFreeAsync, void *, void *) \
  F(int, hipMemsetD32Async, void *, int, size_t, void *)"""
HIP_ATTRIBUTE_FUNCTIONS = r""" \
  F(int, hipModuleLaunchCooperativeKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, void *, void **)"""

HIP = r"""
static int (*device_properties)(void *, int);

static int check(int result, const char *doing) {
  return result ? fail("%s failed: %s (HIP error %d)", doing, driver.hipGetErrorString(result), result) : 0;
}

static int open_driver(void) {
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  for (int i = 0; i < 4 && !library; ++i)
    library = dlopen(names[i], RTLD_NOW);
  if (!library)
    return fail("the HIP runtime cannot be loaded: %s", dlerror());
  if (0 FUNCTIONS(FIND))
    return -1;
  /* ROCm 6 has changed the struct of properties, and the name of the function. */
  if (find("hipGetDevicePropertiesR0600", &device_properties) && find("hipGetDeviceProperties", &device_properties))
    return -1;
  return check(driver.hipInit(0), "starting the HIP runtime");
}

/* The offset of the architecture's name in the struct of properties differs between versions of ROCm. The name follows
   the device's name, which has 256 bytes. */
static int check_target(void) {
  char properties[16384] = {0};
  int device = 0;
  if (check(driver.hipGetDevice(&device), "finding the current GPU") ||
      check(device_properties(properties, device), "querying the GPU's architecture"))
    return -1;
  const char *found = properties + 256, *end = properties + sizeof(properties) - 64;
  while (found < end && memcmp(found, "gfx", 3))
    ++found;
  if (found < end && strcspn(found, ":") == strlen(TARGET) && !memcmp(found, TARGET, strlen(TARGET)))
    return 0;
  return fail("NAME was exported for %s, and the GPU is a %.32s", TARGET, found < end ? found : "GPU without a name");
}

static int load_code(const Kernel *kernel, const char *folder, NAME_module *to) {
  unsigned char *bytes = check_target() ? NULL : read_file(folder, &kernel->code);
  to->code = bytes; /* HIP reads the code as long as the module is loaded */
  int failed = !bytes || check(driver.hipModuleLoadData(&to->module, bytes), "loading a kernel") ||
               check(driver.hipModuleGetFunction(&to->function, to->module, kernel->symbol), "finding a kernel");
  return failed ? -1 : 0;
}

static int allocate(void **address, int64_t bytes, int is_zero, void *stream) {
  size_t size = (size_t)(bytes + 15) / 16 * 16;
  int failed = check(driver.hipMallocAsync(address, size, stream), "allocating temporary memory");
  return failed || !is_zero ? failed : check(driver.hipMemsetD32Async(*address, 0, size / 4, stream), "clearing it");
}

static void release(void *address, void *stream) {
  if (address)
    driver.hipFreeAsync(address, stream);
}
"""

#: A code object declares its LDS itself, so the dynamic size is 0.
HIP_START = r"""
static int start(const Kernel *kernel, void *function, const int64_t grid[3], void *stream, void **values) {
  if (grid[0] > UINT32_MAX / kernel->threads)
    return fail("%s: the grid has more than 2^32 threads along x", kernel->symbol);
  return check(driver.hipModuleLaunchKernel(function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                                            kernel->threads, 1, 1, 0, stream, values, NULL), kernel->symbol);
}
"""

HIP_START_WITH_ATTRIBUTES = r"""
static int start(const Kernel *kernel, void *function, const int64_t grid[3], void *stream, void **values) {
  unsigned x = (unsigned)grid[0], y = (unsigned)grid[1], z = (unsigned)grid[2];
  if (grid[0] > UINT32_MAX / kernel->threads)
    return fail("%s: the grid has more than 2^32 threads along x", kernel->symbol);
  return check(kernel->is_cooperative
                 ? driver.hipModuleLaunchCooperativeKernel(function, x, y, z, kernel->threads, 1, 1, 0, stream, values)
                 : driver.hipModuleLaunchKernel(function, x, y, z, kernel->threads, 1, 1, 0, stream, values, NULL),
               kernel->symbol);
}
"""

#: The functions that follow the table of kernels.
LOAD = r"""
void NAME_unload(NAME_kernel *kernel) {
  for (int i = 0; i < KERNELS; ++i) {
    if (kernel->modules[i].module)
      driver.MODULE_UNLOAD(kernel->modules[i].module);
    free(kernel->modules[i].code);
  }
  memset(kernel, 0, sizeof(*kernel));
}

int NAME_load(NAME_kernel *kernel, const char *folder) {
  memset(kernel, 0, sizeof(*kernel));
  int failed = open_driver();
  for (int i = 0; i < KERNELS && !failed; ++i)
    failed = load_code(&kernels[i], folder, &kernel->modules[i]);
  if (failed)
    NAME_unload(kernel);
  return failed;
}

/* Queues a kernel. `values` has `count` explicit arguments, and room for the implicit arguments after them. */
static int launch(const NAME_kernel *loaded, int i, const int64_t grid[3], void *stream, void **values, int count) {
  const Kernel *kernel = &kernels[i];
  int64_t x = grid[0], y = grid[1], z = grid[2];
  void *scratch[4] = {NULL};
  if (!loaded->modules[i].function)
    return fail("NAME is not loaded");
  if (x < 0 || y < 0 || z < 0 || x > INT32_MAX || y > 65535 || z > 65535)
    return fail("%s: the grid %g x %g x %g is out of range", kernel->symbol, (double)x, (double)y, (double)z);
  const int64_t blocks = x * y * z;
  int failed = 0;
  for (int j = 0; j < kernel->scratch_count && !failed && blocks; ++j) {
    values[count + j] = &scratch[j];
    failed = allocate(&scratch[j], kernel->scratch[j][0] + kernel->scratch[j][1] * blocks, 0, stream);
  }
  if (!failed && blocks)
    failed = start(kernel, loaded->modules[i].function, grid, stream, values);
  for (int j = 0; j < 4; ++j) release(scratch[j], stream);
  return failed;
}
"""
