//===- Recorder.h - Records of the launches of a profiling session ---------------------===//
//
// On a GPU, a launch takes memory of a RecordRing (runtime/RecordRing.h) and returns before the kernel has ended. In
// the emulator, the kernel has ended when the launch returns, and the memory is host memory. Python receives the bytes
// of records in the order of the launches.
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
  /// `limitBytes` limits the memory on each GPU.
  explicit LaunchRecorder(size_t limitBytes) : limitBytes(limitBytes) {}

  /// Memory that one launch uses.
  struct Lent {
    std::shared_ptr<RecordRing> ring; ///< null in the emulator
    ReadbackMemory *memory = nullptr;
    Device *device = nullptr;
    void *stream = nullptr;
    std::shared_ptr<LaunchBytes> bytes;

    /// Address to which the launch writes.
    uint64_t address() const;
  };
  /// Returns memory for the records of a launch. Throws LaunchError.
  Lent lend(size_t bytes, const pybind11::object &place, void *stream);
  /// Takes back the memory of a launch that has failed.
  void takeBack(Lent lent);
  /// Adds a launch that has been queued on a GPU or has ended in the emulator.
  void launched(Lent lent, pybind11::object kernel, const GridSize &grid, pybind11::object place);

  /// Returns [(kernel, grid, place, LaunchBytes), ...] for the launches from number `begin` on. Waits until the records
  /// of the returned launches have been copied to the host. For a launch that is part of a graph, returns the records
  /// of the graph's last replay. Throws LaunchError.
  pybind11::list launches(size_t begin);
  /// Ends recording.
  void close();

private:
  struct Launch {
    pybind11::object kernel, place;
    GridSize grid;
    std::shared_ptr<LaunchBytes> bytes;
    ReadbackMemory *captured; ///< memory of a captured launch that has not been read yet
    Device *device;
    void *stream;
  };

  static void readCaptured(Launch &launch);

  size_t limitBytes;
  std::map<int, std::shared_ptr<RecordRing>> rings; ///< the ring of each GPU, by ordinal
  std::vector<Launch> queued;
};

} // namespace hocket::dispatch

#endif
