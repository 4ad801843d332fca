//===- Runtime.cpp - Python sees devices, loaded kernels and the disk cache --------===//
#include "bindings/Bindings.h"
#include "bindings/BuildId.h"
#include "bindings/LaunchStream.h"
#include "frontend/SourceFile.h"
#include "runtime/Cache.h"
#include "runtime/Device.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/CudaEvent.h"
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace py = pybind11;

namespace hocket::bindings {

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
      .def_property_readonly("registers", [](const DeviceKernel &self) { return self.resources().registers; })
      .def_property_readonly("spill_bytes", [](const DeviceKernel &self) { return self.resources().spillBytes; })
      .def_property_readonly("max_threads", [](const DeviceKernel &self) { return self.resources().maxThreads; });

  module.def("device_count", &cuda::deviceCount);
  module.def("driver_version", &cuda::driverVersion);
  module.def("why_no_device", &cuda::whyNoDevice);
  module.def("current_device", &cuda::currentDevice);
  module.def("device_info", [](int ordinal) { return cuda::getDevice(ordinal).info(); }, py::arg("ordinal"));
  module.def(
      "synchronize", [](int ordinal) { cuda::getDevice(ordinal).synchronize(); }, py::arg("ordinal"),
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "load_kernel",
      [](int ordinal, const std::string &code, const std::string &name, int threads, int sharedBytes) {
        py::gil_scoped_release release;
        return cuda::getDevice(ordinal).load(
            {.code = code, .name = name, .threads = threads, .sharedBytes = sharedBytes});
      },
      py::arg("ordinal"), py::arg("code"), py::arg("name"), py::arg("threads"), py::arg("shared_bytes"));
}

static void bindEvents(py::module_ &module) {
  py::class_<cuda::CudaEvent>(module, "CudaEvent")
      .def(py::init<int>(), py::arg("ordinal"))
      .def(
          "record", [](cuda::CudaEvent &self, uintptr_t stream) { self.record(reinterpret_cast<void *>(stream)); },
          py::arg("stream") = 0)
      .def("synchronize", &cuda::CudaEvent::synchronize, py::call_guard<py::gil_scoped_release>())
      .def("milliseconds_since", &cuda::CudaEvent::millisecondsSince, py::arg("start"));
  py::class_<cuda::CacheFlusher>(module, "CacheFlusher")
      .def(py::init<int>(), py::arg("ordinal"))
      .def(
          "flush", [](cuda::CacheFlusher &self, uintptr_t stream) { self.flush(reinterpret_cast<void *>(stream)); },
          py::arg("stream") = 0);
}

static void bindCache(py::module_ &module) {
  py::class_<DiskCache>(module, "DiskCache")
      .def(py::init<std::filesystem::path>(), py::arg("directory"))
      .def(
          "read",
          [](const DiskCache &self, const std::string &key) -> py::object {
            auto entry = self.read(key);
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
            py::gil_scoped_release release;
            return self.write(key, entry);
          },
          py::arg("key"), py::arg("parts"));
}

void bindRuntime(py::module_ &module) {
  module.def(
      "current_stream",
      [](int ordinal) { return reinterpret_cast<uintptr_t>(launch::currentStream(nullptr, ordinal)); },
      py::arg("ordinal"), "The stream that a launch without GPU arrays is queued on: PyTorch's where it is loaded.");
  bindDevices(module);
  bindEvents(module);
  bindCache(module);
  module.def(
      "definition_source",
      [](const std::string &path, int firstLine) { return frontend::SourceFile(path).definitionAt(firstLine); },
      py::arg("path"), py::arg("first_line"),
      "The text of the function that begins at this line, decorators included; empty when there is no source.");
  module.def("build_id", &buildId, "Identifies the machine code of this module: equal ids compile alike.");
}

} // namespace hocket::bindings
