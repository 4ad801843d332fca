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

#endif
