//===- Rules.h - Checks and choices for a launch's grid, GPU, stream -----------------===//
#ifndef HOCKET_DISPATCH_RULES_H
#define HOCKET_DISPATCH_RULES_H

#include "dispatch/ArrayMemory.h"
#include "runtime/Device.h"
#include <functional>

namespace hocket::dispatch {

/// Throws LaunchError for a grid with an extent above kMaxGrid. The extents of the grid must not be negative.
void checkGrid(const GridSize &grid);

/// The location of a launch's arrays, which must be all on one GPU or all in host memory. A Placement keeps pointers to
/// the parameter names passed to `add`, so these strings must outlive the Placement.
class Placement {
public:
  /// Adds an array of the launch. Throws a LaunchError that names the kernel `function` if the array and an array added
  /// before are on different GPUs.
  void add(const ArrayMemory &memory, const char *parameter, const std::string &function);
  /// Throws LaunchError if some of the added arrays are on a GPU and others are in host memory. Must be called after
  /// all arrays of the launch have been added.
  void check(const std::string &function) const;

  bool isOnGpu() const { return gpuParameter; }
  bool isOnHost() const { return hostParameter; }
  /// Returns the ordinal of the GPU that holds the arrays.
  int device() const { return gpu; }

private:
  int gpu = 0;
  const char *gpuParameter = nullptr, *hostParameter = nullptr;
};

/// Returns the kind of GPU on which a process launches kernels: kRocm if PyTorch is built for HIP or if only HIP finds
/// GPUs, otherwise kCuda. `cudaGpus` and `hipGpus` return the number of GPUs that CUDA and HIP find. `cudaGpus` and
/// `hipGpus` initialize a driver, so this function calls them only if needed.
dlpack::DeviceType chooseGpuType(bool torchUsesHip, const std::function<int()> &cudaGpus,
                                 const std::function<int()> &hipGpus);

/// Source of the stream on which a launch is queued.
enum class StreamSource {
  Exchange, ///< the stream that the DLPack C exchange table of the first GPU array's type returns
  Cupy,
  Torch, ///< PyTorch's current stream if PyTorch is loaded, else the GPU's default stream
};

/// Chooses the source of the stream by the type of the first GPU array. `hasExchange` is true if the type of the array
/// has a DLPack C exchange table, which returns the current stream. `isCupy` is true if the array is a CuPy array.
inline StreamSource chooseStream(bool hasExchange, bool isCupy) {
  // Without an exchange table or a CuPy array, the launch is queued on PyTorch's current stream if PyTorch is loaded.
  return hasExchange ? StreamSource::Exchange : isCupy ? StreamSource::Cupy : StreamSource::Torch;
}

} // namespace hocket::dispatch

#endif
