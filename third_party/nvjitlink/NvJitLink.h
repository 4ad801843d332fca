//===- NvJitLink.h - NVIDIA's PTX assembler as a library --------------------------===//
//
// This file declares the functions of nvJitLink (CUDA 12 and 13) that assemble PTX to a cubin. The functions are found
// at run time. The declarations follow the documentation (docs.nvidia.com/cuda/nvjitlink), so Hocket can be built
// without NVIDIA's headers.
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
  /// An nvJitLinkResult, which is 0 if the call has succeeded.
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
  /// The function pointer is null in nvJitLink of CUDA 12.0 to 12.2.
  Result (*version)(unsigned *major, unsigned *minor);

  SharedLibrary library;

  /// Loads the newest major version of nvJitLink that is not newer than `newestMajor`. The limit is necessary because a
  /// driver cannot load cubins of a newer major version. Each version is searched for in `folders` first, then in the
  /// paths of the system's loader. Returns null if no usable library is found.
  static std::unique_ptr<NvJitLink> load(std::span<const std::string> folders, int newestMajor);

  static constexpr int kNewestMajor = 13, kOldestMajor = 12;
};

} // namespace hocket

#endif
