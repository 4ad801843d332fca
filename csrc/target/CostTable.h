//===- CostTable.h - Latencies and throughputs of GPU units, for timelines -----------===//
//
// Parameters of the emulator's virtual clock and of the schedule model (python/hocket/isa/schedule.py). The virtual
// clock and the schedule model show which warps wait for each other, and which operations overlap. The times that the
// virtual clock and the schedule model compute are not the speed of any hardware and must not be quoted as such.
//
// All times are in clocks of the processor that executes a block (AMD: compute unit, NVIDIA: SM). The warps of a block
// are assigned round-robin to the SIMDs of this processor. Each SIMD has its own VALU and possibly its own matrix core;
// all SIMDs share LDS (or shared memory) and the path to global memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_COSTTABLE_H
#define HOCKET_TARGET_COSTTABLE_H

#include "layout/SharedBanks.h"

namespace hocket {

struct TargetInfo;

/// Class of operand types of matrix instructions. Instructions of the same shape and class take the same time.
enum class MatrixRate : uint8_t {
  Narrow, ///< operands of at most 16 bits, or of xf32
  F32,
  F64,
  Scaled,  ///< scaled MFMAs whose operands both have at most 6 bits
  Scaled8, ///< scaled MFMAs with an 8-bit operand
};

struct CostTable {
  int simds = 4;
  /// Clocks for which one instruction of a warp occupies the VALU: `vector` for plain arithmetic, `transcendental` for
  /// exp2 and similar functions, `division` for a whole division.
  int vector, transcendental, division;
  /// Clocks from the issue of an instruction that the VALU does not execute until the warp can issue its next
  /// instruction.
  int issue;
  /// Clocks from the time at which shared memory serves a load until the warp can use the loaded value.
  int sharedLatency;
  /// Clocks from the time at which global memory serves a load until the warp can use the loaded value: a latency
  /// between that of an L2 hit and that of an L2 miss.
  int memoryLatency;
  int memoryBytesPerClock;
  /// Work in clocks that can be queued at shared or global memory before a warp stalls when it issues another access.
  int queue;
  /// Clocks from the last arrival at a barrier until the waiting warps continue.
  int barrier;
  /// Clocks that one pass of a matrix core takes (AMD), or that one mma.sync takes (NVIDIA).
  int matrixPass;
  /// Clocks from the last pass of a matrix instruction until VALU instructions can use its result.
  int matrixLatency;

  // The fields below are used only by the schedule model, which exists only for AMD.
  /// Number of clocks at the start of a matrix instruction during which the SIMD issues no VALU instruction.
  int matrixRead = 0;
  /// Clocks that fetching the scales of a scaled MFMA takes. The fetch overlaps with the preceding MFMA, but no other
  /// instruction is issued during the fetch.
  int matrixScales = 0;
  /// Clocks that a packed float32 instruction must wait after the matrix core of the SIMD has become idle.
  int packedWait = 0;
  /// Number of LDS accesses of one SIMD that can be queued before a warp stalls.
  int sharedQueue = 0;
  /// `lineBytes` is the size of a cache line in bytes; loads fetch whole lines. `linesInFlight` is the number of lines
  /// that the L1 cache of a compute unit can hold for loads in flight.
  int lineBytes = 0, linesInFlight = 0;
  /// Number of loads that can wait for a free line of the L1 cache before a warp stalls.
  int memoryQueue = 0;
  /// Clocks that a taken branch takes.
  int branch = 0;
};

extern const CostTable kAmpereCosts, kHopperCosts, kCdna3Costs, kCdna4Costs;

/// Returns the number of passes of an MFMA with `blocks` results of `m` x `m` elements; 0 if `target` has no such MFMA.
int matrixPasses(const TargetInfo &target, int m, int blocks, MatrixRate rate);

/// Returns the number of clocks for which a shared memory access without bank conflicts occupies shared memory: one
/// clock for each phase of the access.
int sharedClocks(const TargetInfo &target, SharedAccess access, int bytesPerLane);
/// Returns the number of clocks for which an access of a warp occupies the path to global memory.
int memoryClocks(const TargetInfo &target, int bytesPerLane);

} // namespace hocket

#endif
