//===- Sites.cpp - The table of sites of a host function ----------------------------===//
#include "emulator_abi/Sites.h"

#include "emulator_abi/TableFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

using namespace host_abi;

Attribute encodeSite(const Site &site, Location loc) {
  FieldWriter fields(loc.getContext());
  fields.addText("kind", kSiteKindNames[size_t(site.kind)]);
  fields.addLocation(loc);
  fields.addNumber("bytes", site.bytes);
  if (site.alignment != site.bytes)
    fields.addNumber("alignment", site.alignment);
  if (site.argument)
    fields.addNumber("argument", *site.argument, /*otherwise=*/-1);
  fields.addText("message", site.message);
  fields.addText("from", site.from);
  fields.addNumber("order", int64_t(site.order));
  fields.addFlag("fenced", site.fenced);
  fields.addFlag("block_scope", site.blockScope);
  fields.addFlag("is_store", site.isStore);
  fields.addNumber("unused_copies", site.unusedCopies);
  fields.addText("stage", site.stage);
  return fields.get();
}

static LocatedSite decodeSite(DictionaryAttr entry) {
  FieldReader fields(entry);
  int64_t argument = fields.number("argument", /*otherwise=*/-1);
  return {{.kind = SiteKind(llvm::find(kSiteKindNames, fields.text("kind")) - std::begin(kSiteKindNames)),
           .bytes = fields.number("bytes"),
           .alignment = fields.number("alignment"),
           .argument = argument < 0 ? std::nullopt : std::optional(unsigned(argument)),
           .message = fields.text("message"),
           .from = fields.text("from"),
           .order = AtomicOrder(fields.number("order")),
           .blockScope = fields.flag("block_scope"),
           .isStore = fields.flag("is_store"),
           .unusedCopies = fields.number("unused_copies"),
           .fenced = fields.flag("fenced"),
           .stage = fields.text("stage")},
          fields.location()};
}

std::vector<LocatedSite> decodeSites(ModuleOp module) {
  std::vector<LocatedSite> sites;
  if (auto table = module->getAttrOfType<ArrayAttr>(kSitesAttr))
    for (auto entry : table.getAsRange<DictionaryAttr>())
      sites.push_back(decodeSite(entry));
  return sites;
}

} // namespace hocket
