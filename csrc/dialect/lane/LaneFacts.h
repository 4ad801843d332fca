//===- LaneFacts.h - Discardable attributes of `lane` --------------------------------===//
//
// Declares every discardable attribute of the dialect with its type. LaneDialect::verifyOperationAttribute rejects all
// other attributes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_LANE_LANEFACTS_H
#define HOCKET_DIALECT_LANE_LANEFACTS_H

#include "dialect/hk/facts/Fact.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket::lane {

/// Attribute of rocdl.s.barrier: writes that other warps released before they arrived are visible after the barrier.
/// For LDS, the hardware needs no instruction for this, but the emulator must model the visibility.
inline constexpr hk::FlagFact kAcquiresAttr{"lane.acquires"};

/// Attribute of an operation on a named barrier that the kernel allocates: the number that the kernel gives the
/// barrier. Reports show this number.
inline constexpr hk::IntFact kNamedBarrierAttr{"lane.named_barrier"};

/// Attribute of a load whose result some threads do not use: a mask of bits of the thread's index in its block. Threads
/// with one of these bits set do not use the result, so a concurrent write is not a race with their read.
inline constexpr hk::IntFact kUnusedCopiesAttr{"lane.unused_copies"};

/// Attribute of nvvm.cp.async.shared.global, which has no operand for the cache policy.
inline constexpr hk::Fact<hk::CachePolicyAttr> kCachePolicyAttr{"lane.cache_policy"};

/// Attribute of the operation to which hk.sched_barrier is lowered: label of the stage of a warp pipeline that begins
/// at the operation. At the end of the pipeline, the attribute is an empty string.
inline constexpr hk::TextFact kStageAttr{"lane.stage"};

/// Attribute of any operation of the lane form: the emulator's virtual clock does not count the operation.
/// Instrumentation has the attribute, so that observing a kernel does not change its timing.
inline constexpr hk::FlagFact kUntimedAttr{"lane.untimed"};

} // namespace hocket::lane

#endif
