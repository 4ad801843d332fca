//===- AsyncResults.h - Results that arrive in registers after their operation ------------------===//
//
//     %d = start ..               %d names registers that are being written
//     %e = start .. in %d         goes on with them in place: no wait is needed
//     wait {outstanding = 0}
//     %f = add %e, ..             reads them: after a wait
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_ASYNCRESULTS_H
#define HOCKET_DIALECT_HK_ASYNCRESULTS_H

#include "dialect/hk/AsyncCounter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialect/hk/AsyncResultInterfaces.h.inc"

namespace hocket::hk {

/// On a wait that the user has not written: it makes a product synchronous. MinimizeWaits may move it.
inline constexpr llvm::StringLiteral kImpliedAttr = "hk.implied";

/// On a module whose written waits are to stay as they are.
inline constexpr llvm::StringLiteral kKeepWaitsAttr = "hk.keep_waits";

} // namespace hocket::hk

#endif
