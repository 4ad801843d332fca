//===- Rules.cpp - Checks and choices for a launch's grid, GPU, stream ---------------===//
#include "dispatch/Rules.h"
#include "runtime/LaunchError.h"

namespace hocket::dispatch {

void checkGrid(const GridSize &grid) {
  for (size_t i = 0; i < grid.size(); ++i)
    if (grid[i] > kMaxGrid[i])
      throw LaunchError("a grid has at most " + std::to_string(kMaxGrid[i]) + " blocks along axis " +
                        std::to_string(i) + ", not " + std::to_string(grid[i]) +
                        "\n  hint: put the longest extent first, or let each program process several tiles");
}

void Placement::add(const ArrayMemory &memory, const char *parameter, const std::string &function) {
  if (!memory.isOnGpu) {
    hostParameter = parameter;
    return;
  }
  if (!gpuParameter) {
    gpu = memory.device;
    gpuParameter = parameter;
    return;
  }
  if (memory.device != gpu)
    throw LaunchError(function + "(): `" + gpuParameter + "` is on GPU " + std::to_string(gpu) + " and `" + parameter +
                      "` on GPU " + std::to_string(memory.device) + "; all arrays of a launch must be on one device");
}

void Placement::check(const std::string &function) const {
  if (isOnGpu() && isOnHost())
    throw LaunchError(function + "(): `" + gpuParameter + "` is on a GPU and `" + hostParameter +
                      "` in host memory; pass GPU arrays to run on the GPU, or NumPy arrays to run on the emulator");
}

dlpack::DeviceType chooseGpuType(bool torchUsesHip, const std::function<int()> &cudaGpus,
                                 const std::function<int()> &hipGpus) {
  return torchUsesHip || (cudaGpus() == 0 && hipGpus() > 0) ? dlpack::kRocm : dlpack::kCuda;
}

} // namespace hocket::dispatch
