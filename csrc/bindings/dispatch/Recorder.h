//===- Recorder.h - Records of the launches of a profiling session ---------------------===//
//
// On a GPU, a kernel writes its records to a buffer of a RecordRing (runtime/RecordRing.h), and the launch returns
// before the kernel has ended. On the emulator, a kernel writes its records to host memory, and has ended when the
// launch returns. Python receives the bytes of the records in the order of the launches.
//
// All member functions require the GIL.
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
  /// `limitBytes` is the maximum size in bytes of the memory for records on each GPU.
  explicit LaunchRecorder(size_t limitBytes) : limitBytes(limitBytes) {}

  /// Memory for the records of one launch.
  struct Lent {
    std::shared_ptr<RecordRing> ring; ///< null for a launch on the emulator
    ReadbackMemory *memory = nullptr;
    Device *device = nullptr;
    void *stream = nullptr;
    std::shared_ptr<LaunchBytes> bytes;

    /// Returns the address to which the kernel writes records.
    uint64_t address() const;
  };
  /// Returns memory for `bytes` bytes of records of a launch. Throws LaunchError.
  Lent lend(size_t bytes, const pybind11::object &place, void *stream);
  /// Makes the memory of a launch that has failed available to other launches.
  void takeBack(Lent lent);
  /// Adds a launch to the recorded launches. The launch has been queued on a GPU, or has ended on the emulator.
  void launched(Lent lent, pybind11::object kernel, const GridSize &grid, pybind11::object place);

  /// Returns a list of (kernel, grid, place, LaunchBytes), one for each recorded launch from index `begin` on. Waits
  /// until the records of the returned launches have been copied to the host. For a launch that is part of a graph,
  /// returns the records of the graph's last replay. Throws LaunchError.
  pybind11::list launches(size_t begin);
  /// Ends recording.
  void close();

private:
  struct Launch {
    pybind11::object kernel, place;
    GridSize grid;
    std::shared_ptr<LaunchBytes> bytes;
    /// Memory of a launch that was captured into a graph. Null for other launches, and after the memory has been read.
    ReadbackMemory *captured;
    Device *device;
    void *stream;
  };

  static void readCaptured(Launch &launch);

  size_t limitBytes;
  std::map<int, std::shared_ptr<RecordRing>> rings; ///< the RecordRing of each GPU, by the GPU's ordinal
  std::vector<Launch> queued;
};

} // namespace hocket::dispatch

#endif
