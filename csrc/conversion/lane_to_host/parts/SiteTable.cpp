//===- SiteTable.cpp - The table of sites of a host function -------------------------===//
#include "conversion/lane_to_host/parts/SiteTable.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace hocket {

host_abi::SiteNumber SiteTable::add(Operation *op, Site site) {
  SmallVector<NamedAttribute> fields;
  fields.push_back(builder.getNamedAttr("kind", builder.getStringAttr(host_abi::kSiteKindNames[size_t(site.kind)])));
  fields.push_back(builder.getNamedAttr("loc", Attribute(LocationAttr(op->getLoc()))));
  if (site.bytes)
    fields.push_back(builder.getNamedAttr("bytes", builder.getI32IntegerAttr(site.bytes)));
  if (site.alignment && site.alignment != site.bytes)
    fields.push_back(builder.getNamedAttr("alignment", builder.getI32IntegerAttr(site.alignment)));
  if (site.argument)
    fields.push_back(builder.getNamedAttr("argument", builder.getI32IntegerAttr(*site.argument)));
  if (!site.message.empty())
    fields.push_back(builder.getNamedAttr("message", builder.getStringAttr(site.message)));
  if (!site.from.empty())
    fields.push_back(builder.getNamedAttr("from", builder.getStringAttr(site.from)));
  if (site.order != host_abi::AtomicOrder::Relaxed)
    fields.push_back(builder.getNamedAttr("order", builder.getI32IntegerAttr(int32_t(site.order))));
  if (site.kind == host_abi::SiteKind::Atomic && areFenced)
    fields.push_back(builder.getNamedAttr("fenced", builder.getUnitAttr()));
  if (site.blockScope)
    fields.push_back(builder.getNamedAttr("block_scope", builder.getUnitAttr()));
  if (site.isStore)
    fields.push_back(builder.getNamedAttr("is_store", builder.getUnitAttr()));
  if (site.unusedCopies)
    fields.push_back(builder.getNamedAttr("unused_copies", builder.getI32IntegerAttr(int32_t(site.unusedCopies))));
  if (stage)
    fields.push_back(builder.getNamedAttr("stage", stage));
  Attribute key = builder.getDictionaryAttr(fields);
  return sites.try_emplace(key, host_abi::SiteNumber(sites.size())).first->second;
}

ArrayAttr SiteTable::encode() {
  SmallVector<Attribute> table;
  for (auto &[site, number] : sites)
    table.push_back(site);
  return builder.getArrayAttr(table);
}

} // namespace hocket
