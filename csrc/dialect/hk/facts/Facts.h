//===- Facts.h - The attributes of `hk` on operations of other dialects -------------===//
//
// Declares every discardable attribute of `hk` with its type. HkDialect::verifyOperationAttribute (ModuleFacts.cpp)
// rejects attributes of `hk` that this file does not declare, attributes of another type than declared, and attributes
// on the wrong kind of operation. Operations of Hocket's dialects should declare their facts as optional attributes in
// TableGen instead.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_FACTS_H
#define HOCKET_DIALECT_HK_FACTS_FACTS_H

#include "dialect/hk/facts/Fact.h"

namespace hocket::hk {

class AccessAttr;
class BufferAttr;
class ImplicitAttr;
class MessageSiteAttr;
class PartitionAttr;
class SyncSiteAttr;
class WorkerAttr;

// Facts about modules: options of the compilation ---------------------------------------------------------------------

/// Name of the target, such as "sm_90a".
inline constexpr TextFact kTargetAttr{"hk.target"};
/// Number of warps of a block, without the warps of workers.
inline constexpr IntFact kNumWarpsAttr{"hk.num_warps"};
/// Number of blocks of a cluster; the default is 1.
inline constexpr IntFact kNumCtasAttr{"hk.num_ctas"};
/// True, the default, if `a * b + c` may be contracted to an fma, which rounds once.
inline constexpr BoolFact kFpFusionAttr{"hk.fp_fusion"};
/// Maximum number of registers per lane (NVIDIA), minimum number of waves per SIMD (AMD).
inline constexpr IntFact kMaxRegistersAttr{"hk.maxnreg"}, kWavesPerEuAttr{"hk.waves_per_eu"};
/// Comma-separated names of Hocket's code generation passes that must not run.
inline constexpr TextFact kSkipPassesAttr{"hk.skip_passes"};
/// True if passes must not change the waits that the kernel contains.
inline constexpr FlagFact kKeepWaitsAttr{"hk.keep_waits"};
/// True if the lowering must insert assertions: that indices of ring buffers are in range, that indices of addresses
/// have not overflowed, or that offsets of buffer accesses are not negative.
inline constexpr FlagFact kChecksSlotsAttr{"hk.checks_slots"}, kChecksIndicesAttr{"hk.checks_indices"},
    kChecksBufferOffsetsAttr{"hk.checks_buffer_offsets"};
/// True if the kernel writes prints and failed assertions to host memory (hocket-write-messages).
inline constexpr FlagFact kWritesMessagesAttr{"hk.writes_messages"};

// Facts about modules: results of passes ------------------------------------------------------------------------------

/// Bytes of shared memory of one block, which reserveMemory increases.
inline constexpr IntFact kSharedBytesAttr{"hk.shared_bytes"};
/// Alignment of the block's shared memory, which reserveMemory sets if a buffer needs more than 16 bytes.
inline constexpr IntFact kSharedAlignmentAttr{"hk.shared_alignment"};
/// List of the allocations of shared memory, to which reserveMemory appends.
inline constexpr ListFact<BufferAttr> kBuffersAttr{"hk.buffers"};
/// Number of warps of a block, in addition to hk.num_warps, that run workers of hk.warp_specialize. Set by
/// OutlineWorkers.
inline constexpr IntFact kWorkerWarpsAttr{"hk.worker_warps"};
/// Warps of each worker of hk.warp_specialize, set by OutlineWorkers.
inline constexpr ListFact<WorkerAttr> kWorkersAttr{"hk.workers"};
/// True if the kernel stores to the shared memory of other CTAs: the proxy fences of such a kernel must order these
/// stores, too.
inline constexpr FlagFact kStoresToOtherCtasAttr{"hk.stores_to_other_ctas"};
/// List of the kernel's synchronization operations, which recordSync extends (transforms/SyncRecord.h).
inline constexpr ListFact<SyncSiteAttr> kSynchronizationAttr{"hk.synchronization"};
/// Program points of the kernel that send messages to the host, set by WriteMessages.
inline constexpr ListFact<MessageSiteAttr> kMessagesAttr{"hk.messages"};
/// Reports on loops with hk.auto_stages, set by hocket-form-stages: JSON strings.
inline constexpr ListFact<mlir::StringAttr> kStageReportsAttr{"hk.stage_reports"};

// Facts about functions and their arguments ---------------------------------------------------------------------------

/// True for the kernel of the module.
inline constexpr FlagFact kKernelAttr{"hk.kernel"};
/// Warps of the block that run the function. All warps of the block run a function without the attribute.
inline constexpr Fact<PartitionAttr> kPartitionAttr{"hk.partition"};
/// Power of two that divides the argument's value (or address, in bytes).
inline constexpr IntFact kDivisibilityAttr{"hk.divisibility"};
/// Kind of an argument that the runtime passes, not the caller (ImplicitArguments.h).
inline constexpr Fact<ImplicitAttr> kImplicitAttr{"hk.implicit"};

// Facts about loops (scf.for) -----------------------------------------------------------------------------------------

/// Number of iterations in flight (gl.range, num_stages). On a module, the attribute is the default for all loops that
/// copy tiles.
inline constexpr IntFact kNumStagesAttr{"hk.num_stages"};
/// Unroll factor, above 1 (gl.range, loop_unroll_factor).
inline constexpr IntFact kUnrollAttr{"hk.unroll"};
/// Number that pairs an unrolled loop with its remainder loop: both have the same number. The remainder loop follows
/// the unrolled loop and executes the remaining iterations one at a time.
inline constexpr IntFact kSeriesAttr{"hk.series"};
/// True if hocket-form-stages must turn the body of the loop into stages of a warp pipeline, where that is possible
/// (gl.range, warp_pipeline="auto"). On a module, the attribute applies to all loops that contain neither loops nor
/// stages.
inline constexpr FlagFact kAutoStagesAttr{"hk.auto_stages"};
/// Number of the stages that hocket-form-stages forms in each loop. The number 1 means no stages; 2, 3, ... are the
/// candidates, in ascending order of their estimates. Without the attribute, the pass forms the stages with the best
/// estimate. The compiler driver compiles a kernel with several choices, and keeps the fastest one by the schedule model
/// of the machine code (python/hocket/runtime/stage_choice.py).
inline constexpr IntFact kStageChoiceAttr{"hk.stage_choice"};
/// Marks a loop whose body is a warp pipeline. The value is the number of stages by which each group of four warps lags
/// behind the previous group, unless the first stage has kGroupLagsAttr.
inline constexpr IntFact kPipelinedAttr{"hk.pipelined"};
/// True if the loop contains loops with stages, or has stages only in branches. The loop itself is then not a warp
/// pipeline, and its own stages are straight-line stages.
inline constexpr FlagFact kAroundStagesAttr{"hk.around_stages"};

// Facts about operations of any dialect -------------------------------------------------------------------------------

/// True if the result of arith.divf or math.sqrt of f32 must be rounded correctly. Otherwise the result may have an
/// error of 2 ulp.
inline constexpr FlagFact kRoundNearestAttr{"hk.round_nearest"};
/// Hints of gl.max_contiguous and gl.max_constancy about the result, one number for each dimension.
inline constexpr Fact<mlir::DenseI32ArrayAttr> kContiguityAttr{"hk.contiguity"}, kConstancyAttr{"hk.constancy"};
/// On the first stage of a warp pipeline, an hk.stage_begin or hk.stage: the number of stages by which each group of
/// four warps lags behind group 0. The first lag is 0, lags do not decrease, and the last lag is at least 1.
inline constexpr Fact<mlir::DenseI32ArrayAttr> kGroupLagsAttr{"hk.group_lags"};
/// On an hk.group_barrier: the number of groups that are low. `low` then means the first groups, up to this number, and
/// `high` the other groups. Without the attribute, only the first group is low.
inline constexpr IntFact kLowGroupsAttr{"hk.low_groups"};
/// True for an access of shared memory that is already ordered after all preceding accesses, and needs no barrier.
inline constexpr FlagFact kOrderedAttr{"hk.ordered"};
/// Elements along one dimension that a lane may access as one vector, set by ChooseAccesses.
inline constexpr Fact<AccessAttr> kAccessAttr{"hk.access"};

} // namespace hocket::hk

#endif
