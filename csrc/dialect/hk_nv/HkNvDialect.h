//===- HkNvDialect.h - The `hk_nv` dialect ----------------------------------------===//
//
// Includes all attributes, types and operations of the dialect, and declares its discardable attribute.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_HKNVDIALECT_H
#define HOCKET_DIALECT_HK_NV_HKNVDIALECT_H

#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Fact.h"
#include "dialect/hk/facts/HkStorageInterfaces.h"
#include "dialect/hk/facts/Predicated.h"
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

/// Attribute of NVVM's bulk tensor copies: size in bytes of an element, which the emulator checks.
inline constexpr hk::IntFact kElementBytesAttr{"hk_nv.element_bytes"};

/// True if a handle refers to one mbarrier: one i64 in each block of a cluster.
bool isOneMbarrier(hk::MemDescType type);
/// Returns the mask of the block rank bits in which blocks that share an mbarrier differ. The mbarrier's layout has
/// rows of zeros for these bits. The shared mbarrier is the mbarrier of the first of these blocks.
int32_t sharersOf(hk::MemDescType mbarrier);

} // namespace hocket::hk_nv

#endif
