//===- Launcher.cpp - Launches a compiled kernel on its device -------------------------===//
#include "bindings/dispatch/Launcher.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Stream.h"
#include "runtime/KernelFacts.h"

namespace py = pybind11;

namespace hocket::dispatch {

namespace {

class GpuLauncher final : public Launcher {
public:
  explicit GpuLauncher(DeviceKernel &kernel) : kernel(kernel) {}

  void *streamOf(PyObject *given, const Specialization &call) const override {
    return given ? dispatch::streamOf(given) : currentStream(call.gpuType, call.device);
  }
  py::object placeOf(const Specialization &call) const override { return py::int_(call.device); }

  // Releases the GIL: if the queue is full the driver waits, possibly for a host function that needs the GIL.
  void launch(const GridSize &grid, void *stream, Specialization &call, uint64_t profile) const override {
    bindings::WithoutGil released;
    kernel.launch(grid, stream, call.values.pointers(), profile);
  }

private:
  DeviceKernel &kernel;
};

/// Launches on the emulator, by a Python function (runtime/emulated.py) that reads the settings of hocket.emulator.
class EmulatorLauncher final : public Launcher {
public:
  EmulatorLauncher(py::object run, bool records) : run(std::move(run)), records(records) {}

  void *streamOf(PyObject *, const Specialization &) const override { return nullptr; }
  py::object placeOf(const Specialization &call) const override { return call.place; }
  void launch(const GridSize &grid, void *stream, Specialization &call, uint64_t profile) const override;
  PyObject *function() const override { return run.ptr(); }

private:
  py::object run;
  bool records; ///< true if the kernel writes records for the profiler
};

} // namespace

/// Returns ((size, stride in bytes), ...) of an array with gaps if it provides strides, else ().
static py::tuple dimensionsOf(const Specialization::HostArray &array) {
  py::handle object = array.object;
  bool isTensor = py::hasattr(object, "stride"); // a PyTorch tensor
  // A tensor map itself describes the gaps between elements.
  if (array.isDescribed || !array.memory.hasGaps || !(isTensor || py::hasattr(object, "strides")))
    return py::tuple();
  py::tuple shape(object.attr("shape")), strides(isTensor ? object.attr("stride")() : object.attr("strides"));
  int64_t unit = isTensor ? elementBytes(array.memory.element) : 1;
  py::tuple dimensions(shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    dimensions[i] = py::make_tuple(shape[i].cast<int64_t>(), strides[i].cast<int64_t>() * unit);
  return dimensions;
}

void EmulatorLauncher::launch(const GridSize &grid, void *, Specialization &call, uint64_t profile) const {
  py::list values;
  for (size_t i = 0; i < call.values.size(); ++i)
    values.append(call.values[i]);
  for (const Values::Wide &wide : call.values.wideValues())
    values[wide.index] = py::bytes(wide.bytes.data(), wide.bytes.size());
  for (const Specialization::HostArray &array : call.hostArrays) {
    py::object memory =
        py::make_tuple(reinterpret_cast<uintptr_t>(array.memory.address), array.memory.bytes, array.memory.writable,
                       elementNumpyName(array.memory.element), array.memory.bytesBefore, dimensionsOf(array));
    if (array.isDescribed) {
      py::list described;
      described.append(values[array.value]);
      described.append(memory);
      memory = described;
    }
    values[array.value] = memory;
  }
  py::tuple blocks = py::make_tuple(grid[0], grid[1], grid[2]);
  if (records)
    run(blocks, values, profile);
  else
    run(blocks, values);
}

std::unique_ptr<const Launcher> makeLauncher(py::object launcher, const KernelFacts &facts) {
  if (py::isinstance<DeviceKernel>(launcher))
    return std::make_unique<GpuLauncher>(*launcher.cast<DeviceKernel *>());
  return std::make_unique<EmulatorLauncher>(std::move(launcher), facts.recordBytes != 0);
}

} // namespace hocket::dispatch
