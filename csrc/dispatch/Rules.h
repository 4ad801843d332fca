//===- Rules.h - Rules for a launch's grid, GPU and stream ---------------------------===//
#ifndef HOCKET_DISPATCH_RULES_H
#define HOCKET_DISPATCH_RULES_H

#include "dispatch/ArrayMemory.h"
#include "runtime/Device.h"
#include <functional>

namespace hocket::dispatch {

/// Throws LaunchError for a grid that exceeds the limits of all GPUs. Extents are not negative.
void checkGrid(const GridSize &grid);

/// Location of a launch's arrays: all on one GPU, or all in host memory. Names of parameters must outlive this object.
class Placement {
public:
  /// Throws LaunchError naming `function` if the array is on another GPU than the preceding ones.
  void add(const ArrayMemory &memory, const char *parameter, const std::string &function);
  /// Throws LaunchError if some arrays are on a GPU and others are not. Called after the last array.
  void check(const std::string &function) const;

  bool isOnGpu() const { return gpuParameter; }
  bool isOnHost() const { return hostParameter; }
  /// Ordinal of the GPU.
  int device() const { return gpu; }

private:
  int gpu = 0;
  const char *gpuParameter = nullptr, *hostParameter = nullptr;
};

/// Returns the vendor whose GPUs a process launches on: HIP if PyTorch is built for it, or if only HIP has GPUs;
/// otherwise CUDA. The functions count GPUs, which starts a driver, so they are called only if needed.
dlpack::DeviceType chooseGpuType(bool torchUsesHip, const std::function<int()> &cudaGpus,
                                 const std::function<int()> &hipGpus);

/// Source of the stream that a launch is queued on.
enum class StreamSource {
  Exchange, ///< the C exchange table of the first array's type
  Cupy,
  Torch, ///< PyTorch if it is loaded, else the GPU's default stream
};

/// `hasExchange`: the type of the first GPU array has an exchange table with streams; `isCupy`: it is a CuPy array.
inline StreamSource chooseStream(bool hasExchange, bool isCupy) {
  // Without an array, or with an array of a library without streams of its own, PyTorch's streams order the program if
  // PyTorch is loaded.
  return hasExchange ? StreamSource::Exchange : isCupy ? StreamSource::Cupy : StreamSource::Torch;
}

} // namespace hocket::dispatch

#endif
