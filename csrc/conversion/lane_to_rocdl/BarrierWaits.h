//===- BarrierWaits.h - Barriers in loops wait for LDS, whatever LLVM thinks -----------------===//
//
// A fence in front of a barrier becomes `s_waitcnt lgkmcnt(0)`. LLVM 22 takes it for superfluous where nothing is
// pending the first time it looks, which in a loop is before it knows what the end of the loop leaves pending; and what
// it has deleted once does not come back:
//
//     loop:  (s_waitcnt lgkmcnt(0))   deleted: nothing is pending where the loop is entered
//            s_barrier
//            ds_read ..
//            s_barrier
//            ds_write ..              pending at the barrier on the top of the next iteration
//            s_cbranch loop
//
// (SIInsertWaitcnts.cpp, waits that SIMemoryLegalizer marks as `soft`; seen with 22.1.8.) An s_waitcnt of the program's
// own is never deleted, and the two become one.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_BARRIERWAITS_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_BARRIERWAITS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket {

/// Adds s_waitcnt to the barriers in loops of `function` whose fences ask for it.
void waitAtBarriersInLoops(mlir::LLVM::LLVMFuncOp function);

} // namespace hocket

#endif
