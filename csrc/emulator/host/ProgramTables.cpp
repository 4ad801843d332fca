//===- ProgramTables.cpp - Reads the tables that the compiler recorded on a module -----------===//
#include "emulator/host/ProgramTables.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::emulator {

std::vector<Site> readSites(ModuleOp module) {
  std::vector<Site> sites;
  auto table = module->getAttrOfType<ArrayAttr>(host_abi::kSitesAttr);
  if (!table)
    return sites;
  for (auto entry : table.getAsRange<DictionaryAttr>()) {
    Site site;
    auto number = [&](StringRef name, int64_t otherwise) {
      auto attr = entry.getAs<IntegerAttr>(name);
      return attr ? attr.getInt() : otherwise;
    };
    std::string_view kind = entry.getAs<StringAttr>("kind").getValue();
    const auto *name = llvm::find(host_abi::kSiteKindNames, kind);
    site.kind = host_abi::SiteKind(name - std::begin(host_abi::kSiteKindNames));
    site.bytes = uint32_t(number("bytes", 0));
    site.alignment = uint32_t(number("alignment", site.bytes));
    site.argument = int32_t(number("argument", -1));
    site.order = host_abi::AtomicOrder(number("order", 0));
    site.fenced = entry.contains("fenced");
    site.unusedCopies = uint32_t(number("unused_copies", 0));
    site.blockScope = entry.contains("block_scope");
    site.isStore = entry.contains("is_store");
    if (auto message = entry.getAs<StringAttr>("message"))
      site.message = message.str();
    if (auto from = entry.getAs<StringAttr>("from"))
      site.from = from.str();
    if (auto stage = entry.getAs<StringAttr>("stage"))
      site.stage = stage.str();
    site.diagnostic = hk::diagnosticAt(Location(entry.getAs<LocationAttr>("loc")));
    sites.push_back(std::move(site));
  }
  return sites;
}

std::vector<SharedBuffer> readBuffers(ModuleOp module) {
  std::vector<SharedBuffer> buffers;
  for (Attribute attr : hk::kBuffersAttr.get(module)) {
    auto entry = cast<DictionaryAttr>(attr);
    SharedBuffer buffer{entry.getAs<StringAttr>("name").str(), uint64_t(entry.getAs<IntegerAttr>("offset").getInt()),
                        uint64_t(entry.getAs<IntegerAttr>("bytes").getInt())};
    for (auto [name, lines] : {std::pair("arrivals", &buffer.arrivals), std::pair("copies", &buffer.copies)})
      if (auto texts = entry.getAs<ArrayAttr>(name)) {
        buffer.holdsMbarriers = true;
        for (auto text : texts.getAsRange<StringAttr>())
          lines->push_back(text.str());
      }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::vector<Worker> readWorkers(ModuleOp module) {
  std::vector<Worker> workers;
  for (Attribute attr : hk::kWorkersAttr.get(module)) {
    auto entry = cast<DictionaryAttr>(attr);
    workers.push_back({entry.getAs<StringAttr>("name").str(), uint32_t(entry.getAs<IntegerAttr>("first_warp").getInt()),
                       uint32_t(entry.getAs<IntegerAttr>("num_warps").getInt())});
  }
  return workers;
}

} // namespace hocket::emulator
