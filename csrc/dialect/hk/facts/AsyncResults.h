//===- AsyncResults.h - Asynchronous results in registers ---------------------------------------===//
//
//     %d = start ...              %d is in registers that are being written
//     %e = start ... in %d        accumulates into the same registers: no wait is needed
//     wait {outstanding = 0}
//     %f = add %e, ...            reads the registers: after a wait
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_ASYNCRESULTS_H
#define HOCKET_DIALECT_HK_FACTS_ASYNCRESULTS_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialect/hk/facts/AsyncResultInterfaces.h.inc"

namespace hocket::hk {

/// Attribute of a wait that the compiler has inserted to make an MMA synchronous. MinimizeWaits may move such a wait.
inline constexpr llvm::StringLiteral kImpliedAttr = "hk.implied";

/// Attribute of a module whose explicit waits must not be changed.
inline constexpr llvm::StringLiteral kKeepWaitsAttr = "hk.keep_waits";

} // namespace hocket::hk

#endif
