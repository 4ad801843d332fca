//===- FormerKernel.cpp - The kernel that lane_to_host has converted ----------------===//
#include "emulator_abi/FormerKernel.h"

#include "emulator_abi/HostAbi.h"
#include "emulator_abi/TableFields.h"

using namespace mlir;

namespace hocket {

void setFormerKernel(ModuleOp module, const FormerKernel &kernel) {
  FieldWriter fields(module.getContext());
  fields.add("name", kernel.name);
  fields.add("parameters", kernel.parameters);
  fields.addFlag("tracks_undefined", kernel.tracksUndefined);
  module->setAttr(host_abi::kKernelAttr, fields.get());
}

FormerKernel getFormerKernel(ModuleOp module) {
  auto fields = module->getAttrOfType<DictionaryAttr>(host_abi::kKernelAttr);
  return {fields.getAs<StringAttr>("name"), fields.getAs<ArrayAttr>("parameters"),
          FieldReader(fields).flag("tracks_undefined")};
}

} // namespace hocket
