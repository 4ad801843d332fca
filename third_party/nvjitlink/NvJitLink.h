//===- NvJitLink.h - NVIDIA's PTX assembler as a library --------------------------===//
//
// The few functions of nvJitLink (CUDA 12 and 13) that turn PTX into a cubin, found at run time. Declared here from
// the documented interface (docs.nvidia.com/cuda/nvjitlink): no NVIDIA header is needed to build.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_NVJITLINK_NVJITLINK_H
#define HOCKET_THIRD_PARTY_NVJITLINK_NVJITLINK_H

#include "third_party/SharedLibrary.h"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace hocket {

struct NvJitLink {
  using Handle = struct nvJitLink *;
  /// 0 is success in all functions.
  using Result = int;
  static constexpr int kInputPtx = 2;

  Result (*create)(Handle *, uint32_t optionCount, const char **options);
  Result (*destroy)(Handle *);
  Result (*addData)(Handle, int inputType, const void *data, size_t size, const char *name);
  Result (*complete)(Handle);
  Result (*getLinkedCubinSize)(Handle, size_t *size);
  Result (*getLinkedCubin)(Handle, void *cubin);
  Result (*getErrorLogSize)(Handle, size_t *size);
  Result (*getErrorLog)(Handle, char *log);
  /// Null in CUDA 12.0 to 12.2.
  Result (*version)(unsigned *major, unsigned *minor);

  SharedLibrary library;

  /// Searches `folders`, then the system loader's paths, for the newest major version up to `newestMajor`: a driver
  /// loads cubins of its own major version and of older ones. Returns null if no usable library is found.
  static std::unique_ptr<NvJitLink> load(std::span<const std::string> folders, int newestMajor);

  static constexpr int kNewestMajor = 13, kOldestMajor = 12;
};

} // namespace hocket

#endif
