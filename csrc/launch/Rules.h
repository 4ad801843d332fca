//===- Rules.h - Which grid, GPU and stream a launch may have and gets ---------------===//
#ifndef HOCKET_LAUNCH_RULES_H
#define HOCKET_LAUNCH_RULES_H

#include "launch/ArrayMemory.h"
#include "runtime/Device.h"
#include <functional>

namespace hocket::launch {

/// Throws LaunchError for a grid that is larger than any GPU takes. Extents are not negative.
void checkGrid(const GridSize &grid);

/// Where the arrays of a launch lie: all on one GPU, or all in host memory. Names are parameters and outlive this.
class Placement {
public:
  /// Throws LaunchError naming `function` for an array on another GPU than those before.
  void add(const ArrayMemory &memory, const char *parameter, const std::string &function);
  /// Throws LaunchError where some arrays lie on a GPU and others do not. After the last one.
  void check(const std::string &function) const;

  bool isOnGpu() const { return gpuParameter; }
  bool isOnHost() const { return hostParameter; }
  /// The GPU's ordinal.
  int device() const { return gpu; }

private:
  int gpu = 0;
  const char *gpuParameter = nullptr, *hostParameter = nullptr;
};

/// Whose GPUs a process launches on: HIP's where PyTorch is built for it, or where only HIP has some; else CUDA's. The
/// functions count GPUs, for which a driver is started; those that are not needed are not called.
dlpack::DeviceType chooseGpuType(bool torchUsesHip, const std::function<int()> &cudaGpus,
                                 const std::function<int()> &hipGpus);

/// Who knows the stream that a launch is queued on.
enum class StreamSource {
  Exchange, ///< the C exchange table of the first array's type
  Cupy,
  Torch, ///< PyTorch where it is loaded, else the GPU's default stream
};

/// `hasExchange`: the type of the first array on a GPU has a table that knows streams; `isCupy`: it is CuPy's.
inline StreamSource chooseStream(bool hasExchange, bool isCupy) {
  // Without an array, or with one of a library that has no streams of its own: where PyTorch is loaded, its streams
  // are what the program is ordered by.
  return hasExchange ? StreamSource::Exchange : isCupy ? StreamSource::Cupy : StreamSource::Torch;
}

} // namespace hocket::launch

#endif
