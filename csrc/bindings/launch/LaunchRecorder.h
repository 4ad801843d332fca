//===- LaunchRecorder.h - What the launches of a profiling session record -----------===//
//
// On a GPU, a launch takes memory of a ring (runtime/RecordRing.h) and goes on; in the emulator it is over when it
// returns, and its memory is the host's. In the order of the launches, Python gets the bytes.
//
// All members are called with the GIL.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHRECORDER_H
#define HOCKET_BINDINGS_LAUNCHRECORDER_H

#include "runtime/RecordRing.h"

#include <map>
#include <pybind11/pybind11.h>

namespace hocket::launch {

class LaunchRecorder {
public:
  /// `limitBytes`: of the memory of each GPU.
  explicit LaunchRecorder(size_t limitBytes) : limitBytes(limitBytes) {}

  /// What one launch is lent.
  struct Lent {
    std::shared_ptr<RecordRing> ring; ///< null in the emulator
    ReadbackMemory *memory = nullptr;
    Device *device = nullptr;
    void *stream = nullptr;
    std::shared_ptr<LaunchBytes> bytes;

    /// Where the launch writes.
    uint64_t address() const;
  };
  /// Throws LaunchError.
  Lent lend(size_t bytes, const pybind11::object &place, void *stream);
  /// The launch has failed.
  void takeBack(Lent lent);
  /// The launch is queued, or over in the emulator.
  void launched(Lent lent, pybind11::object kernel, const GridSize &grid, pybind11::object place);

  /// [(kernel, grid, place, LaunchBytes), ..] from number `begin` on. Waits until they have been read. Launches that
  /// are part of graphs are read now: what they wrote last. Throws LaunchError.
  pybind11::list launches(size_t begin);
  /// No launch is recorded any more.
  void close();

private:
  struct Launch {
    pybind11::object kernel, place;
    GridSize grid;
    std::shared_ptr<LaunchBytes> bytes;
    ReadbackMemory *captured; ///< that of a graph, which is not read yet
    Device *device;
    void *stream;
  };

  static void readCaptured(Launch &launch);

  size_t limitBytes;
  std::map<int, std::shared_ptr<RecordRing>> rings; ///< by GPU
  std::vector<Launch> queued;
};

} // namespace hocket::launch

#endif
