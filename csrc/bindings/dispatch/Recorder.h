//===- Recorder.h - Records of the launches of a profiling session ---------------------===//
//
// On a GPU, a launch takes memory of a RecordRing (runtime/RecordRing.h) and returns. In the emulator a launch has
// ended when it returns, and its memory is host memory. Python receives the bytes in the order of the launches.
//
// All members are called with the GIL.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_RECORDER_H
#define HOCKET_BINDINGS_DISPATCH_RECORDER_H

#include "runtime/RecordRing.h"

#include <map>
#include <pybind11/pybind11.h>

namespace hocket::dispatch {

class LaunchRecorder {
public:
  /// `limitBytes` limits the memory on each GPU.
  explicit LaunchRecorder(size_t limitBytes) : limitBytes(limitBytes) {}

  /// Memory lent to one launch.
  struct Lent {
    std::shared_ptr<RecordRing> ring; ///< null in the emulator
    ReadbackMemory *memory = nullptr;
    Device *device = nullptr;
    void *stream = nullptr;
    std::shared_ptr<LaunchBytes> bytes;

    /// Address that the launch writes to.
    uint64_t address() const;
  };
  /// Throws LaunchError.
  Lent lend(size_t bytes, const pybind11::object &place, void *stream);
  /// Returns the memory of a launch that has failed.
  void takeBack(Lent lent);
  /// Called when the launch is queued, or has ended in the emulator.
  void launched(Lent lent, pybind11::object kernel, const GridSize &grid, pybind11::object place);

  /// Returns [(kernel, grid, place, LaunchBytes), ...] from number `begin` on. Waits until they have been read.
  /// Launches that are part of graphs are read at this call: the records of their last replay. Throws LaunchError.
  pybind11::list launches(size_t begin);
  /// Ends recording.
  void close();

private:
  struct Launch {
    pybind11::object kernel, place;
    GridSize grid;
    std::shared_ptr<LaunchBytes> bytes;
    ReadbackMemory *captured; ///< memory of a graph's launch that has not been read yet
    Device *device;
    void *stream;
  };

  static void readCaptured(Launch &launch);

  size_t limitBytes;
  std::map<int, std::shared_ptr<RecordRing>> rings; ///< by GPU
  std::vector<Launch> queued;
};

} // namespace hocket::dispatch

#endif
