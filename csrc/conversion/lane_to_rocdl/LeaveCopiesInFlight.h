//===- LeaveCopiesInFlight.h - Only waits of the kernel wait for copies into LDS ------------===//
//
// The back end knows that copies into LDS write it, and on its own waits for all of them (vmcnt 0) at two places where
// kernels want them in flight, since they say themselves which groups must have arrived (async_wait_group):
//
//   before an access of LDS that may meet them; with a ring of tiles, before every one. Two alias scopes, one of copies
//   and one of all other accesses, say that these need not wait. The order in the program remains: where an access and
//   a copy do meet in memory there is a barrier or a wait between them, whose fence keeps them apart.
//
//   at a release fence of workgroup scope that orders LDS, so at every barrier. For one of a larger scope it does not,
//   as such fences are not meant to publish LDS, whose accesses (lgkmcnt) it waits for all the same: fences of LDS get
//   the scope "agent", those of both memories are split in two.
//
//     fence workgroup release            ->  fence workgroup release, global;  fence agent release, local
//     fence workgroup release, local     ->  fence agent release, local
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_LEAVECOPIESINFLIGHT_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_LEAVECOPIESINFLIGHT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

/// Marks accesses of LDS and fences in `function`, if it copies into LDS.
void leaveCopiesInFlight(mlir::LLVM::LLVMFuncOp function);

} // namespace hocket

#endif
