//===- SharedBuffers.cpp - Finds the buffers that a byte of shared memory belongs to -----------------===//
#include "emulator/host/SharedBuffers.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace hocket::emulator {

std::vector<SharedBuffer> readBuffers(ModuleOp module) {
  std::vector<SharedBuffer> buffers;
  auto table = module->getAttrOfType<ArrayAttr>("hk.buffers");
  if (!table)
    return buffers;
  for (auto entry : table.getAsRange<DictionaryAttr>()) {
    SharedBuffer buffer{entry.getAs<StringAttr>("name").str(), uint64_t(entry.getAs<IntegerAttr>("offset").getInt()),
                        uint64_t(entry.getAs<IntegerAttr>("bytes").getInt())};
    for (auto [name, places] : {std::pair("arrivals", &buffer.arrivals), std::pair("copies", &buffer.copies)})
      if (auto texts = entry.getAs<ArrayAttr>(name)) {
        buffer.holdsMbarriers = true;
        for (auto text : texts.getAsRange<StringAttr>())
          places->push_back(text.str());
      }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::string nameOf(const std::vector<SharedBuffer> &buffers, uint64_t place) {
  std::string names;
  for (const SharedBuffer &buffer : buffers)
    if (buffer.contains(place))
      names += (names.empty() ? "" : " or ") + buffer.name;
  return names.empty() ? "shared memory" : names;
}

} // namespace hocket::emulator
