//===- Targets.cpp - The table of targets for Python ------------------------------===//
#include "bindings/Bindings.h"
#include "pipeline/Backend.h"
#include "target/Vendors.h"

#include <pybind11/stl.h>

namespace py = pybind11;

void hocket::bindings::bindTargets(py::module_ &module) {
  py::class_<TargetInfo>(module, "TargetInfo")
      .def_property_readonly("name", [](const TargetInfo &self) { return std::string(self.name); })
      .def_property_readonly("family", [](const TargetInfo &self) { return std::string(self.family); })
      .def_property_readonly("vendor", [](const TargetInfo &self) { return std::string(infoOf(self.vendor).name); })
      .def_property_readonly("assembly",
                             [](const TargetInfo &self) { return std::string(artifactName(backendOf(self).assembly)); })
      .def_property_readonly(
          "machine_code", [](const TargetInfo &self) { return std::string(artifactName(backendOf(self).machineCode)); })
      .def_property_readonly("uses_installed_assembler",
                             [](const TargetInfo &self) { return backendOf(self).usesInstalledAssembler; })
      .def_property_readonly(
          "gpus", [](const TargetInfo &self) { return std::vector<std::string>(self.gpus.begin(), self.gpus.end()); })
      .def_readonly("warp_size", &TargetInfo::warpSize)
      .def_readonly("max_threads_per_block", &TargetInfo::maxThreadsPerBlock)
      .def_readonly("max_shared_bytes", &TargetInfo::maxSharedBytes)
      .def_readonly("shared_banks", &TargetInfo::sharedBanks)
      .def("__repr__", [](const TargetInfo &self) { return "TargetInfo(" + std::string(self.name) + ")"; });

  module.def("targets", [] {
    std::vector<TargetInfo> targets(allTargets().begin(), allTargets().end());
    return targets;
  });
}
