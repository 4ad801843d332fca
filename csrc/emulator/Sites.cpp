//===- Sites.cpp - The table of sites as the emulator keeps it --------------------------------===//
#include "emulator/Sites.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <climits>

using namespace mlir;

namespace hocket::emulator {

namespace {

struct SourcePlace {
  FileLineColRange place; // a single position is a range too
  StringRef function;     ///< from a NameLoc around the place
};

SourcePlace findPlace(Location location) {
  return llvm::TypeSwitch<LocationAttr, SourcePlace>(location)
      .Case([](FileLineColRange place) { return SourcePlace{place, {}}; })
      .Case([](NameLoc named) {
        SourcePlace found = findPlace(named.getChildLoc());
        return SourcePlace{found.place, found.function.empty() ? named.getName().getValue() : found.function};
      })
      .Case([](CallSiteLoc call) { return findPlace(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (SourcePlace found = findPlace(part); found.place)
            return found;
        return SourcePlace{};
      })
      .Default([](LocationAttr) { return SourcePlace{}; });
}

void readLocation(Location location, Site &site) {
  SourcePlace found = findPlace(location);
  if (!found.place)
    return;
  site.file = found.place.getFilename().str();
  site.line = int(found.place.getStartLine());
  site.column = std::max(0, int(found.place.getStartColumn()) - 1);
  // A range over several lines is shown to the end of its first.
  bool isOneLine = found.place.getEndLine() == found.place.getStartLine();
  site.endColumn = isOneLine ? std::max(site.column + 1, int(found.place.getEndColumn()) - 1) : INT_MAX;
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    SourcePlace callee = findPlace(call.getCallee()), caller = findPlace(call.getCaller());
    if (caller.place)
      site.callChain.push_back({callee.function.str(), caller.place.getFilename().str(),
                                int(caller.place.getStartLine()), caller.function.str()});
    location = call.getCaller();
  }
}

} // namespace

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
    site.argument = int32_t(number("argument", -1));
    if (auto message = entry.getAs<StringAttr>("message"))
      site.message = message.str();
    readLocation(Location(entry.getAs<LocationAttr>("loc")), site);
    sites.push_back(std::move(site));
  }
  return sites;
}

} // namespace hocket::emulator
