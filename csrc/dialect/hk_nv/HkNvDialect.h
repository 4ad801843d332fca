//===- HkNvDialect.h - The `hk_nv` dialect ----------------------------------------===//
//
// Everything a user of its attributes and operations includes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_HKNVDIALECT_H
#define HOCKET_DIALECT_HK_NV_HKNVDIALECT_H

#include "dialect/hk/AsyncResults.h"
#include "dialect/hk/HkStorageInterfaces.h"
#include "layout/NvidiaMmaLayouts.h"
#include "layout/NvidiaSharedLayouts.h"

#include "dialect/hk_nv/HkNvDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk_nv/HkNvAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/hk_nv/HkNvTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/hk_nv/HkNvOps.h.inc"

namespace hocket::hk_nv {

/// Whether a handle shows one mbarrier: one i64 in each block of a cluster.
bool isOneMbarrier(hk::MemDescType type);
/// Bits of the number of a block that blocks which share an mbarrier differ in: its layout has rows of zeros for them.
/// It is that of the first of these blocks.
int32_t sharersOf(hk::MemDescType mbarrier);

} // namespace hocket::hk_nv

#endif
