//===- Recorder.cpp - Records of the launches of a profiling session -------------------===//
#include "bindings/dispatch/Recorder.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Platform.h"
#include "runtime/LaunchError.h"

namespace py = pybind11;

namespace hocket::dispatch {

using bindings::WithoutGil;

uint64_t LaunchRecorder::Lent::address() const {
  return memory ? memory->address() : reinterpret_cast<uintptr_t>(bytes->bytes().data());
}

LaunchRecorder::Lent LaunchRecorder::lend(size_t bytes, const py::object &place, void *stream) {
  Lent lent;
  lent.stream = stream;
  lent.bytes = std::make_shared<LaunchBytes>(bytes);
  if (!PyLong_Check(place.ptr()))
    return lent;
  int ordinal = place.cast<int>();
  lent.device = &gpuDevice(ordinal);
  std::shared_ptr<RecordRing> &ring = rings[ordinal];
  if (!ring)
    ring = RecordRing::make(
        [device = lent.device](size_t size, size_t count) { return device->makeReadbacks(size, count); }, limitBytes);
  lent.ring = ring;
  WithoutGil released;
  lent.memory = &lent.ring->take(bytes);
  return lent;
}

void LaunchRecorder::takeBack(Lent lent) {
  if (lent.memory)
    lent.ring->giveBack(*lent.memory);
}

void LaunchRecorder::launched(Lent lent, py::object kernel, const GridSize &grid, py::object place) {
  bool isCaptured = lent.memory && lent.device->isCapturing(lent.stream);
  queued.push_back({std::move(kernel), std::move(place), grid, lent.bytes, isCaptured ? lent.memory : nullptr,
                    lent.device, lent.stream});
  if (!lent.memory)
    return lent.bytes->deliver();
  if (isCaptured)
    return lent.ring->keep(*lent.memory);
  lent.memory->markWritten(lent.stream);
  lent.ring->readLater(*lent.memory, std::move(lent.bytes));
}

void LaunchRecorder::readCaptured(Launch &launch) {
  if (launch.device->isCapturing(launch.stream))
    throw LaunchError("a launch that is profiled is still being captured into a graph\n  hint: capture the graph and "
                      "run it inside the profiling session, and read the results after that");
  WithoutGil released;
  launch.device->synchronize();
  launch.captured->read(launch.bytes->bytes());
  launch.bytes->deliver();
  launch.captured = nullptr;
}

py::list LaunchRecorder::launches(size_t begin) {
  py::list found;
  for (size_t i = begin; i < queued.size(); ++i) {
    if (queued[i].captured)
      readCaptured(queued[i]);
    std::shared_ptr<LaunchBytes> bytes = queued[i].bytes;
    for (auto &[ordinal, ring] : rings)
      ring->startReading();
    {
      WithoutGil released;
      bytes->wait();
    }
    const Launch &launch = queued[i];
    found.append(py::make_tuple(launch.kernel, py::make_tuple(launch.grid[0], launch.grid[1], launch.grid[2]),
                                launch.place, std::move(bytes)));
  }
  return found;
}

void LaunchRecorder::close() {
  auto closing = std::exchange(rings, {});
  WithoutGil released;
  closing.clear();
}

} // namespace hocket::dispatch
