//===- Rules.h - Rules for a launch's grid, GPU and stream ---------------------------===//
#ifndef HOCKET_DISPATCH_RULES_H
#define HOCKET_DISPATCH_RULES_H

#include "dispatch/ArrayMemory.h"
#include "runtime/Device.h"
#include <functional>

namespace hocket::dispatch {

/// Throws LaunchError for a grid that is larger than kMaxGrid. The extents must not be negative.
void checkGrid(const GridSize &grid);

/// The location of a launch's arrays, which are all on one GPU or all in host memory. The strings with the names of
/// parameters must outlive this object.
class Placement {
public:
  /// Adds an array. Throws a LaunchError that names `function` if the array is on another GPU than the preceding
  /// arrays.
  void add(const ArrayMemory &memory, const char *parameter, const std::string &function);
  /// Throws LaunchError if some arrays are on a GPU and other arrays are not. The caller must have added all arrays.
  void check(const std::string &function) const;

  bool isOnGpu() const { return gpuParameter; }
  bool isOnHost() const { return hostParameter; }
  /// Returns the ordinal of the GPU.
  int device() const { return gpu; }

private:
  int gpu = 0;
  const char *gpuParameter = nullptr, *hostParameter = nullptr;
};

/// Returns the kind of GPU on which a process launches kernels: HIP if PyTorch is built for HIP or if only HIP has
/// GPUs, otherwise CUDA. `cudaGpus` and `hipGpus` return how many GPUs CUDA and HIP find. `cudaGpus` and `hipGpus`
/// initialize a driver, so they are called only if needed.
dlpack::DeviceType chooseGpuType(bool torchUsesHip, const std::function<int()> &cudaGpus,
                                 const std::function<int()> &hipGpus);

/// Source of the stream on which a launch is queued.
enum class StreamSource {
  Exchange, ///< the DLPack C exchange table of the first array's type
  Cupy,
  Torch, ///< PyTorch if it is loaded, else the GPU's default stream
};

/// Chooses the source of the stream by the type of the first GPU array. `hasExchange`: the type has a DLPack C exchange
/// table that returns the current stream; `isCupy`: the type is CuPy's.
inline StreamSource chooseStream(bool hasExchange, bool isCupy) {
  // Without an array of a library that has streams, the launch is ordered with PyTorch's work, if PyTorch is loaded.
  return hasExchange ? StreamSource::Exchange : isCupy ? StreamSource::Cupy : StreamSource::Torch;
}

} // namespace hocket::dispatch

#endif
