//===- SiteTable.h - Table of sites, the operations to which runtime calls refer -----===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H

#include "emulator_abi/Sites.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

class SiteTable {
public:
  /// `areFenced` is true if the kernel has fences between blocks.
  SiteTable(mlir::MLIRContext *context, bool areFenced) : builder(context), areFenced(areFenced) {}

  /// Adds a site for `op`, unless the table contains an equal site; returns the number of the site.
  host_abi::SiteNumber add(mlir::Operation *op, Site site);
  /// Sets the label of the warp pipeline stage that contains the sites added from now on; null outside of stages.
  void enterStage(mlir::StringAttr label) { stage = label; }
  /// Returns the value of host_abi::kSitesAttr.
  mlir::ArrayAttr encode();

private:
  mlir::Builder builder;
  bool areFenced;
  mlir::StringAttr stage;
  llvm::MapVector<mlir::Attribute, host_abi::SiteNumber> sites;
};

} // namespace hocket

#endif
