//===- CostTable.h - Latencies and throughputs of GPU units, for timelines -----------===//
//
// Parameters of the emulator's virtual clock and of the schedule model (python/hocket/isa/schedule.py). The clock and
// the schedule model show which warp waits for which, and what overlaps. The results of the clock and the schedule
// model are not the speed of any hardware and must not be quoted as such.
//
// All numbers are clocks of the processor that runs a block (AMD: compute unit, NVIDIA: SM). The warps of a block are
// assigned round-robin to its SIMDs. Each SIMD has its own VALU and possibly its own matrix core; all SIMDs share LDS
// (or shared memory) and the path to global memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_COSTTABLE_H
#define HOCKET_TARGET_COSTTABLE_H

#include "layout/SharedBanks.h"

namespace hocket {

struct TargetInfo;

/// Class of a matrix instruction's operand types, as far as it determines the instruction's duration.
enum class MatrixRate : uint8_t {
  Narrow, ///< at most 16 bits, and xf32
  F32,
  F64,
  Scaled,  ///< scaled MFMAs whose operands both have at most 6 bits
  Scaled8, ///< scaled MFMAs with an 8-bit operand
};

struct CostTable {
  int simds = 4;
  /// Clocks for which an instruction of a warp occupies the VALU, for plain arithmetic, for exp2 and similar functions,
  /// and for a division.
  int vector, transcendental, division;
  /// Clocks until a warp can issue its next instruction after an instruction of another unit than the VALU.
  int issue;
  /// Clocks from the moment shared memory serves an access until its result can be used.
  int sharedLatency;
  /// Clocks from the moment global memory serves an access until its result can be used; a value between that of an L2
  /// hit and that of an L2 miss.
  int memoryLatency;
  int memoryBytesPerClock;
  /// Clocks of work that can be queued at a memory before a warp stalls on issue.
  int queue;
  /// Clocks from the last arrival at a barrier until the warps continue.
  int barrier;
  /// Clocks of a pass of a matrix core (AMD) or of an mma.sync (NVIDIA).
  int matrixPass;
  /// Clocks from the last pass of a matrix instruction until vector instructions can use the result.
  int matrixLatency;

  // Only the schedule model, which exists for AMD only, uses the fields below.
  /// Number of clocks at the start of a matrix instruction during which its SIMD issues no vector instruction.
  int matrixRead = 0;
  /// Clocks for fetching the scales of a scaled MFMA. The fetch overlaps the preceding MFMA; no other instruction
  /// issues during the fetch.
  int matrixScales = 0;
  /// Clocks that a packed float32 instruction waits after the matrix core has become idle.
  int packedWait = 0;
  /// LDS accesses per SIMD that can be queued before a warp stalls.
  int sharedQueue = 0;
  /// `lineBytes` is the size of a cache line, which loads fetch as a whole. `linesInFlight` is the number of lines that
  /// a CU's L1 cache holds for loads in flight.
  int lineBytes = 0, linesInFlight = 0;
  /// Number of instructions that can wait for a free line of the L1 cache before a warp stalls.
  int memoryQueue = 0;
  /// Clocks of a taken branch.
  int branch = 0;
};

extern const CostTable kAmpereCosts, kHopperCosts, kCdna3Costs, kCdna4Costs;

/// Returns the passes of a matrix instruction with `blocks` results of `m` x `m` elements; 0 if there is none.
int matrixPasses(const TargetInfo &target, int m, int blocks, MatrixRate rate);

/// Returns the clocks of a conflict-free shared memory access: one clock per phase.
int sharedClocks(const TargetInfo &target, SharedAccess access, int bytesPerLane);
/// Returns the clocks for which an access occupies the path to global memory.
int memoryClocks(const TargetInfo &target, int bytesPerLane);

} // namespace hocket

#endif
