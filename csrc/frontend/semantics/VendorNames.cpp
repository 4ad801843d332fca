//===- VendorNames.cpp - Names in the modules of GPU vendors -------------------------===//
#include "frontend/semantics/VendorNames.h"
#include "frontend/values/LanguageObjects.h"
#include "target/MatrixInstructions.h"
#include "target/WgmmaInstructions.h"
#include "llvm/ADT/StringSwitch.h"

namespace hocket::frontend {

/// Returns a hint that names a counterpart of the vendor's function `name` for the target; empty if the function has no
/// counterpart.
static std::string portableTwin(const TargetInfo &target, llvm::StringRef name) {
  llvm::StringRef function = name.rsplit('.').second;
  if (function.consume_front("buffer_atomic_"))
    return "gl.atomic_" + function.str() + "(ptr + offsets, value) works on every GPU";
  return llvm::StringSwitch<std::string>(function)
      .Case("buffer_load", "gl.load(ptr + offsets) works on every GPU")
      .Case("buffer_store", "gl.store(ptr + offsets, value) works on every GPU")
      .Cases({"mfma", "mfma_scaled", "mma_v2", "warpgroup_mma"}, "on this GPU, call " + matrixUnitsOf(target))
      .Default("");
}

std::string matrixUnitsOf(const TargetInfo &target) {
  std::string own = target.mfmaVersion != 0 ? "gl.amd.cdna3.mfma(a, b, acc)"
                    : target.hasWgmma       ? "gl.nvidia.hopper.warpgroup_mma(a_smem, b_smem, acc)"
                                            : "gl.nvidia.ampere.mma_v2(a, b, acc)";
  return own + ", or gl.dot_fma(a, b, acc) without matrix units";
}

const VendorInfo *otherVendorOf(const TargetInfo &target, std::string_view name) {
  std::string_view module = name.substr(0, name.find('.'));
  for (const VendorInfo &info : allVendors())
    if (info.name == module && &info != &infoOf(target.vendor))
      return &info;
  return nullptr;
}

void checkVendor(Emitter &e, std::string_view name) {
  if (const VendorInfo *vendor = otherVendorOf(e.target, name))
    e.error("gl." + std::string(name) + " needs an " + std::string(vendor->label) +
                " GPU; this kernel is compiled for " + std::string(e.target.name),
            portableTwin(e.target, name));
}

std::string elsewhereInLanguage(const std::string &name) {
  auto isIn = [&](py::handle module) {
    return llvm::is_contained(module.attr("__all__").cast<std::vector<std::string>>(), name);
  };
  if (isIn(py::module_::import("hocket.language")))
    return "it is gl." + name;
  std::string found;
  for (const char *module :
       {"amd", "amd.cdna3", "amd.cdna4", "amd.cdna4.async_copy", "nvidia.ampere", "nvidia.ampere.async_copy",
        "nvidia.ampere.mbarrier", "nvidia.ampere.named_barrier", "nvidia.hopper", "nvidia.hopper.mbarrier"})
    if (isIn(languageObject(module)))
      found += (found.empty() ? "it is gl." : " or gl.") + std::string(module) + "." + name;
  return found;
}

} // namespace hocket::frontend
