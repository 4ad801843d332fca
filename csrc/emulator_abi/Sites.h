//===- Sites.h - The table of sites of a host function ------------------------------===//
//
// The table of sites is the module attribute `hocket.sites`, which lane_to_host writes and the emulator reads. The
// number of a site is its index in the table.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_SITES_H
#define HOCKET_EMULATOR_ABI_SITES_H

#include "emulator_abi/HostAbi.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace hocket {

/// The properties of a site. A site is a memory access or another operation at which the emulator can report a failure.
struct Site {
  host_abi::SiteKind kind;
  int64_t bytes = 0;
  /// Required alignment of the access in bytes; 0 if the required alignment is the width of the access.
  int64_t alignment = 0;
  std::optional<unsigned> argument = {}; ///< index of the kernel parameter whose array is accessed, if known
  std::string message = {};
  std::string from = {}; ///< description of the reads from which an undefined value originates
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< ordering of an atomic access
  bool blockScope = false;                                      ///< true for an atomic access of block scope
  bool isStore = false;                                         ///< true for an atomic exchange whose result is unused
  /// For reads: a lane does not use the value if its index and `unusedCopies` have a common bit.
  int64_t unusedCopies = 0;
  bool fenced = false;    ///< true for an atomic access in a kernel that contains fences between blocks
  std::string stage = {}; ///< label of the warp pipeline stage that contains the site; empty outside of stages
};

/// A site with its location in the source.
struct LocatedSite : Site {
  mlir::Location loc;
};

/// Returns the attribute that is the entry for `site` in the table of sites.
mlir::Attribute encodeSite(const Site &site, mlir::Location loc);

/// Reads the table of sites of `module`. Returns no sites if `module` has no table.
std::vector<LocatedSite> decodeSites(mlir::ModuleOp module);

} // namespace hocket

#endif
