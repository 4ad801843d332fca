//===- Sites.cpp - The emulator's table of sites ----------------------------------------------===//
#include "emulator/host/Sites.h"

#include "dialect/hk/facts/Locations.h"
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

} // namespace hocket::emulator
