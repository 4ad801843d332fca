//===- Runtime.cpp - Devices, loaded kernels and the disk cache for Python ---------===//
#include "bindings/Bindings.h"
#include "bindings/BuildId.h"
#include "bindings/Errors.h"
#include "bindings/LaunchValues.h"
#include "bindings/Presence.h"
#include "bindings/dispatch/Hooks.h"
#include "bindings/dispatch/Platform.h"
#include "bindings/dispatch/Profile.h"
#include "bindings/dispatch/Recorder.h"
#include "bindings/dispatch/Stream.h"
#include "frontend/ast/SourceFile.h"
#include "frontend/ast/SourceStamp.h"
#include "runtime/Cache.h"
#include "runtime/Device.h"
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// A kernel on a GPU. GPU kernels are launched without the GIL: if the stream's queue is full, the driver waits,
/// possibly for a host function in the stream that needs the GIL.
class KernelOnGpu final : public DeviceKernel {
public:
  explicit KernelOnGpu(std::unique_ptr<DeviceKernel> kernel) : kernel(std::move(kernel)) {}

  void launch(const KernelLaunch &launch) override {
    WithoutGil released;
    kernel->launch(launch);
  }
  const KernelResources *resources() const override { return kernel->resources(); }

private:
  std::unique_ptr<DeviceKernel> kernel;
};

} // namespace

/// Launches `kernel` with `values`, which LaunchValues.h describes.
static void launchValues(DeviceKernel &kernel, const GridSize &grid, const py::list &values, uintptr_t stream,
                         uint64_t profile) {
  LaunchValues given(values);
  KernelLaunch launch = given.launch(grid);
  launch.stream = reinterpret_cast<void *>(stream);
  launch.profile = profile;
  kernel.launch(launch);
}

/// Returns a member of `kernel`'s KernelResources; nullopt for an emulated kernel.
template <int KernelResources::*Member>
static std::optional<int> resourceOf(const DeviceKernel &kernel) {
  const KernelResources *resources = kernel.resources();
  return resources ? std::optional(resources->*Member) : std::nullopt;
}

static void bindDevices(py::module_ &module) {
  py::class_<DeviceInfo>(module, "DeviceInfo")
      .def_readonly("ordinal", &DeviceInfo::ordinal)
      .def_readonly("name", &DeviceInfo::name)
      .def_readonly("target", &DeviceInfo::target)
      .def_readonly("needs_ptx", &DeviceInfo::needsPtx)
      .def_readonly("multiprocessors", &DeviceInfo::multiprocessors)
      .def_readonly("max_shared_bytes", &DeviceInfo::maxSharedBytes)
      .def_readonly("memory_bytes", &DeviceInfo::memoryBytes);

  py::class_<DeviceKernel>(module, "DeviceKernel")
      .def_property_readonly("registers", &resourceOf<&KernelResources::registers>)
      .def_property_readonly("spill_bytes", &resourceOf<&KernelResources::spillBytes>)
      .def_property_readonly("max_threads", &resourceOf<&KernelResources::maxThreads>)
      .def("launch", &launchValues, py::arg("grid"), py::arg("values"), py::arg("stream") = 0, py::arg("profile") = 0);

  py::class_<Platform>(module, "Platform")
      .def_property_readonly("name", &Platform::name)
      .def_property_readonly("device_count", &Platform::deviceCount)
      .def_property_readonly("driver_version", &Platform::driverVersion)
      .def_property_readonly("why_no_device", &Platform::whyNoDevice)
      .def("device_info", [](Platform &self, int ordinal) { return self.device(ordinal).info(); }, py::arg("ordinal"));
  module.attr("cuda") = py::cast(&cudaPlatform(), py::return_value_policy::reference);
  module.attr("hip") = py::cast(&hipPlatform(), py::return_value_policy::reference);

  module.def("set_profilers", &dispatch::setProfilers, py::arg("count"));
  module.def("set_launch_hooks", &dispatch::setLaunchHooks, py::arg("count"));
  module.def("device_count", &dispatch::usableGpus);
  module.def("why_no_device", &dispatch::whyNoGpu);
  module.def("current_device", [] { return dispatch::gpuPlatform().currentDevice(); });
  module.def("device_info", [](int ordinal) { return dispatch::gpuDevice(ordinal).info(); }, py::arg("ordinal"));
  module.def(
      "synchronize",
      [](int ordinal) {
        Device &device = dispatch::gpuDevice(ordinal);
        WithoutGil released;
        device.synchronize();
      },
      py::arg("ordinal"));
  module.def(
      "load_kernel",
      [](int ordinal, const std::string &code, const KernelFacts &facts) -> std::unique_ptr<DeviceKernel> {
        Device &device = dispatch::gpuDevice(ordinal);
        KernelFacts complete = facts;
        // The source line of a failure is read here, because the failure's text is rendered later in a thread that
        // cannot call Python.
        for (MessageSite &site : complete.messages)
          site.failure.sourceLine = sourceLineOf(site.failure);
        WithoutGil released;
        return std::make_unique<KernelOnGpu>(device.load({.code = code, .facts = complete}));
      },
      py::arg("ordinal"), py::arg("code"), py::arg("facts"));
}

static void bindTiming(py::module_ &module) {
  py::class_<DeviceEvent>(module, "DeviceEvent")
      .def(py::init([](int ordinal) { return dispatch::gpuDevice(ordinal).makeEvent(); }), py::arg("ordinal"))
      .def(
          "record", [](DeviceEvent &self, uintptr_t stream) { self.record(reinterpret_cast<void *>(stream)); },
          py::arg("stream") = 0)
      .def("synchronize", &DeviceEvent::synchronize, py::call_guard<WithoutGil>())
      .def("milliseconds_since", &DeviceEvent::millisecondsSince, py::arg("start"));
  py::class_<CacheFlusher>(module, "CacheFlusher")
      .def(py::init([](int ordinal) { return dispatch::gpuDevice(ordinal).makeCacheFlusher(); }), py::arg("ordinal"))
      .def(
          "flush", [](CacheFlusher &self, uintptr_t stream) { self.flush(reinterpret_cast<void *>(stream)); },
          py::arg("stream") = 0);
}

static void bindReadback(py::module_ &module) {
  py::class_<ReadbackMemory>(module, "ReadbackMemory")
      .def(py::init([](int ordinal, size_t bytes) {
             return std::move(dispatch::gpuDevice(ordinal).makeReadbacks(bytes, 1).front());
           }),
           py::arg("ordinal"), py::arg("bytes"))
      .def_property_readonly("bytes", &ReadbackMemory::bytes)
      .def_property_readonly("address", &ReadbackMemory::address)
      .def(
          "mark_written",
          [](ReadbackMemory &self, uintptr_t stream) { self.markWritten(reinterpret_cast<void *>(stream)); },
          py::arg("stream"))
      .def(
          "read",
          [](ReadbackMemory &self, const py::buffer &into) {
            py::buffer_info memory = into.request(/*writable=*/true);
            WithoutGil released;
            self.read({static_cast<std::byte *>(memory.ptr), size_t(memory.size * memory.itemsize)});
          },
          py::arg("into"));
}

static void bindRecorder(py::module_ &module) {
  using dispatch::LaunchRecorder;
  py::class_<LaunchBytes, std::shared_ptr<LaunchBytes>>(module, "LaunchBytes", py::buffer_protocol())
      .def_buffer([](LaunchBytes &self) {
        std::span<std::byte> bytes = self.bytes();
        return py::buffer_info(reinterpret_cast<uint8_t *>(bytes.data()), py::ssize_t(bytes.size()), /*readonly=*/true);
      });
  py::class_<LaunchRecorder>(module, "LaunchRecorder")
      .def(py::init<size_t>(), py::arg("limit_bytes"))
      .def("launches", &LaunchRecorder::launches, py::arg("begin") = 0)
      .def("close", &LaunchRecorder::close);
}

static void bindCache(py::module_ &module) {
  py::class_<DiskCache>(module, "DiskCache")
      .def(py::init<std::filesystem::path, uint64_t>(), py::arg("directory"), py::arg("limit_bytes"))
      .def(
          "read",
          [](const DiskCache &self, const std::string &key) -> py::object {
            auto entry = [&] {
              WithoutGil released;
              return self.read(key);
            }();
            if (!entry)
              return py::none();
            py::dict parts;
            for (const auto &[name, value] : *entry)
              parts[py::str(name)] = py::bytes(value);
            return parts;
          },
          py::arg("key"))
      .def(
          "write",
          [](const DiskCache &self, const std::string &key, const std::map<std::string, py::bytes> &parts) {
            DiskCache::Entry entry;
            for (const auto &[name, value] : parts)
              entry.emplace_back(name, std::string(value));
            WithoutGil released;
            return self.write(key, entry);
          },
          py::arg("key"), py::arg("parts"))
      .def("status",
           [](const DiskCache &self) {
             DiskCache::Status status = self.status();
             return py::make_tuple(status.problem, status.entries, status.bytes);
           })
      .def("clear", &DiskCache::clear);
}

void bindRuntime(py::module_ &module) {
  module.def(
      "current_stream",
      [](int ordinal) { return reinterpret_cast<uintptr_t>(dispatch::currentStream(nullptr, ordinal)); },
      py::arg("ordinal"),
      "Returns the stream of launches without GPU arrays: PyTorch's current stream if PyTorch is loaded.");
  bindDevices(module);
  bindTiming(module);
  bindReadback(module);
  bindRecorder(module);
  bindCache(module);
  module.def(
      "definition_source",
      [](py::handle function) {
        py::object code = function.attr("__code__");
        std::string text = frontend::SourceFile(code.attr("co_filename").cast<std::string>())
                               .definitionAt(code.attr("co_firstlineno").cast<int>());
        return frontend::isUnedited(function) ? text : "";
      },
      py::arg("function"),
      "Source text of a function with its decorators; empty if there is none, or if it was edited after import.");
  module.def("stamp_source", &frontend::stampSource, py::arg("function"),
             "Remembers the state of the file of a function that has just been defined.");
  module.def("build_id", &buildId,
             "Identifier of the machine code of this module: builds with equal identifiers generate equal code.");
}

} // namespace hocket::bindings
