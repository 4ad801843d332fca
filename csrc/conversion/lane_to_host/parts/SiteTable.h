//===- SiteTable.h - The table of sites of a host function ---------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H

#include "emulator_abi/HostAbi.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace hocket {

/// The properties of a site: an access or another operation at which the runtime can report a failure.
struct Site {
  host_abi::SiteKind kind;
  int64_t bytes = 0;
  int64_t alignment = 0;                 ///< required alignment; 0 if it is the width of the access
  std::optional<unsigned> argument = {}; ///< kernel parameter whose array is accessed, if known
  std::string message = {};
  std::string from = {}; ///< description of the reads from which an undefined value originates
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< ordering of an atomic access
  bool blockScope = false;                                      ///< true for an atomic access of block scope
  bool isStore = false;                                         ///< true for an atomic exchange whose result is unused
  int64_t unusedCopies = 0; ///< for reads: lanes whose index has one of these bits do not use the value
};

class SiteTable {
public:
  /// `areFenced` is true if the kernel has fences between blocks.
  SiteTable(mlir::MLIRContext *context, bool areFenced) : builder(context), areFenced(areFenced) {}

  /// Adds a site for `op`, unless the table contains an equal site; returns the number of the site.
  host_abi::SiteNumber add(mlir::Operation *op, Site site);
  /// Sets the label of the warp pipeline stage that contains the sites added after this call; null if they are in no
  /// stage.
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
