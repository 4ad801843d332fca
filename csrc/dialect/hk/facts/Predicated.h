//===- Predicated.h - Operations that have no effect if their predicate is false --------------===//
//
//     hk_nv.mbarrier_arrive %bar, 1 pred %more
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_PREDICATED_H
#define HOCKET_DIALECT_HK_FACTS_PREDICATED_H

#include "mlir/IR/OpDefinition.h"

#include "dialect/hk/facts/PredicateInterfaces.h.inc"

#endif
