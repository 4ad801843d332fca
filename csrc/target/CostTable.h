//===- CostTable.h - How long a GPU's units take, for pictures of time ---------------===//
//
// What the emulator's virtual clock and the model of a schedule (python/hocket/isa/schedule.py) count with. Models:
// they show who waits for whom and what runs beside what. No number that comes out of them is the speed of any
// hardware, and none may be quoted as one.
//
// All numbers are clocks of the unit that a kernel runs on (AMD: compute unit, NVIDIA: SM). The warps of a block are
// dealt to its SIMD units in turn. Each SIMD unit has a vector unit and, maybe, a matrix core of its own; shared memory
// and the way to global memory serve them all.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_COSTTABLE_H
#define HOCKET_TARGET_COSTTABLE_H

#include "layout/SharedBanks.h"

namespace hocket {

struct TargetInfo;

/// What the elements of a matrix instruction are, as far as its time depends on it.
enum class MatrixRate : uint8_t {
  Narrow, ///< at most 16 bits, and xf32
  F32,
  F64,
  Scaled,  ///< scaled products with operands of at most 6 bits
  Scaled8, ///< scaled products with an operand of 8 bits
};

struct CostTable {
  int simds = 4;
  /// An instruction of a warp keeps the vector unit busy: plain arithmetic, exp2 and its like, a division.
  int vector, transcendental, division;
  /// Until a warp can issue its next instruction when another unit does the work.
  int issue;
  /// From shared memory having served an access until its result can be used.
  int sharedLatency;
  /// The same for global memory: something between a hit in L2 and a miss.
  int memoryLatency;
  int memoryBytesPerClock;
  /// Clocks of work that may stand in a queue before a memory before a warp has to wait for its turn.
  int queue;
  /// From the last arrival until the warps go on.
  int barrier;
  /// Clocks of a pass of a matrix core (AMD), of an mma.sync (NVIDIA).
  int matrixPass;
  /// From the last pass until vector instructions can use the result.
  int matrixLatency;

  // What follows only the model of a schedule asks for, which there is for AMD.
  /// Of a matrix instruction's first clocks, those in which its SIMD unit issues no vector instruction.
  int matrixRead = 0;
  /// Before that, one with scales fetches them, beside the matrix instruction before it; nothing else issues meanwhile.
  int matrixScales = 0;
  /// A packed float32 instruction waits for the matrix core to be idle, and so much longer.
  int packedWait = 0;
  /// Accesses of shared memory that wait to be served, of each SIMD unit, before a warp has to.
  int sharedQueue = 0;
  /// Of a cache line, which loads move as a whole; of lines that a unit's first-level cache holds for loads under way.
  int lineBytes = 0, linesInFlight = 0;
  /// Besides these, instructions that wait for room in that cache before a warp has to.
  int memoryQueue = 0;
  /// A branch that is taken.
  int branch = 0;
};

extern const CostTable kAmpereCosts, kHopperCosts, kCdna3Costs, kCdna4Costs;

/// Passes of a matrix instruction with an `m` x `m` result in each of `blocks`. 0: there is none.
int matrixPasses(const TargetInfo &target, int m, int blocks, MatrixRate rate);

/// Clocks that an access of shared memory takes without conflicts: one per phase.
int sharedClocks(const TargetInfo &target, SharedAccess access, int bytesPerLane);
/// Clocks that the way to global memory is busy with an access.
int memoryClocks(const TargetInfo &target, int bytesPerLane);

} // namespace hocket

#endif
