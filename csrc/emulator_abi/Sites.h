//===- Sites.h - The table of sites of a host function ------------------------------===//
//
// lane_to_host records the table in the module attribute `hocket.sites`, and the emulator reads the table. A site's
// number is its index in the table.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_SITES_H
#define HOCKET_EMULATOR_ABI_SITES_H

#include "emulator_abi/HostAbi.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace hocket {

/// The properties of a site: an access or another operation at which the runtime can report a failure.
struct Site {
  host_abi::SiteKind kind;
  int64_t bytes = 0;
  int64_t alignment = 0;                 ///< required alignment in bytes; 0 if it is the width of the access
  std::optional<unsigned> argument = {}; ///< kernel parameter whose array is accessed, if known
  std::string message = {};
  std::string from = {}; ///< description of the reads from which an undefined value originates
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< ordering of an atomic access
  bool blockScope = false;                                      ///< true for an atomic access of block scope
  bool isStore = false;                                         ///< true for an atomic exchange whose result is unused
  int64_t unusedCopies = 0; ///< for reads: lanes whose index has one of these bits do not use the value
  bool fenced = false;      ///< true for an atomic access in a kernel with fences between blocks
  std::string stage = {};   ///< label of the warp pipeline stage that contains the site; empty if there is none
};

/// A site with its location in the source.
struct LocatedSite : Site {
  mlir::Location loc;
};

/// Returns the entry of the table for `site` at `loc`.
mlir::Attribute encodeSite(const Site &site, mlir::Location loc);

/// Reads the table of `module`; empty if there is none.
std::vector<LocatedSite> decodeSites(mlir::ModuleOp module);

} // namespace hocket

#endif
