//===- SiteTable.cpp - Table of sites, the operations to which runtime calls refer ----===//
#include "conversion/lane_to_host/parts/SiteTable.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace hocket {

host_abi::SiteNumber SiteTable::add(Operation *op, Site site) {
  site.fenced = site.kind == host_abi::SiteKind::Atomic && areFenced;
  site.stage = stage ? stage.str() : std::string();
  Attribute key = encodeSite(site, op->getLoc());
  return sites.try_emplace(key, host_abi::SiteNumber(sites.size())).first->second;
}

ArrayAttr SiteTable::encode() {
  SmallVector<Attribute> table;
  for (auto &[site, number] : sites)
    table.push_back(site);
  return builder.getArrayAttr(table);
}

} // namespace hocket
