//===- LaneRecords.h - Emits the code that writes records -------------------------------------===//
//
//   once, at the kernel's beginning    indices of the warp and its unit, whether this lane writes; the address of the
//                                      unit's records
//   for each record, or pair           offset from the running index, one store of 8 or 16 bytes, increment of the index
//   after some records, if staged      if a segment is full, all lanes move it to device memory
//   at the end of the warp             the number of records; all lanes copy records that are in shared memory
//
// Staged records are collected in a circular buffer of two segments in shared memory. Each segment has one record for
// each lane of the warp. A check follows the last record of each basic block, and every eighth record of long blocks:
//
//   segment 0            segment 1          bit 5 of the running index changes when a segment of 32 records is full;
//   | full: moved by   | filled by lane 0   the next records are in the other segment
//   | all lanes        | meanwhile
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_LANERECORDS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_LANERECORDS_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "conversion/prof_to_llvm/Clocks.h"
#include "dialect/prof/ProfDialect.h"

namespace hocket {

class LaneRecords {
public:
  /// Emits, at the beginning of `kernel`, the values that all records need. `buffer` is the address of the records of
  /// all blocks in global memory. `shared` is the address of the records of this block in shared memory; null if
  /// records are not collected in shared memory. `firstIndex` is the index of the first record of each unit, 0 or 1.
  LaneRecords(mlir::IRRewriter &rewriter, mlir::LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc,
              prof::ConfigAttr config, const TargetLowering &lowering, const Clocks &clocks, mlir::Value buffer,
              int firstIndex);

  /// Emits code at the position of `rewriter`.
  void writeBeginning();
  /// Writes `op`. If `first` is not null, one store writes both `op` and the preceding record `first`. `isChecked`:
  /// true if a check for a full segment follows. Records that are not staged need no checks.
  void write(prof::StoreRecordOp op, prof::StoreRecordOp first, bool isChecked);
  /// Emits the code that ends the warp's records. `isKernels` is true at the end of the kernel, where the code also
  /// ends the block's records. `isKernels` is false at the return of a worker of hk.warp_specialize.
  void writeEnd(bool isKernels);

  /// Promotes the running index from memory to SSA values.
  mlir::LogicalResult promoteNumber();

private:
  mlir::Value i32(int64_t value);
  mlir::Value at(mlir::Value base, mlir::Value bytes);
  mlir::Value at(mlir::Value base, int64_t bytes);
  mlir::Value pair(mlir::Value low, mlir::Value high);
  mlir::Value both(mlir::Value a, mlir::Value b);
  llvm::SmallVector<mlir::Value> wordsOf(mlir::Value tag, mlir::Value clock);
  mlir::Value pack(llvm::ArrayRef<mlir::Value> words);
  void storeGlobal(mlir::Value address, mlir::Value value, mlir::Value pred = {});
  void findUnit();
  void findMemory(mlir::Value buffer);
  /// Emits writes of the steady clock and the cycle counter to the header, at `offset`.
  void writeTimes(mlir::Value header, int64_t offset);
  void storeShared(mlir::Value count, mlir::Value words, mlir::Value pred);
  void copyToDevice(mlir::Value count);
  /// Emits the copy of the record with this lane's index in the segment that begins with record number `first`.
  void copyRecordOfLane(mlir::Value first);
  /// Emits code that moves a segment to device memory if the segment has become full since the last check.
  void flushIfFull();
  mlir::Value readClock();
  void writeFlushRecord(prof::RecordKind kind, mlir::Value clock);
  void copyStaged(mlir::Value count);
  /// True if shared memory contains the records, until the end of the kernel or until they are moved to device memory.
  bool inShared() const { return ringBytes != 0; }
  /// Number of records of a segment, one for each lane of the warp.
  int64_t segment() const { return lowering.target.warpSize; }

  mlir::IRRewriter &rewriter;
  mlir::LLVM::LLVMFuncOp kernel;
  prof::BufferAllocOp alloc;
  prof::ConfigAttr config;
  const TargetLowering &lowering;
  const Clocks &clocks;
  mlir::Location loc;
  prof::Space space;
  int64_t units, bytesPerUnit, capacity;
  int64_t staging; ///< bytes of shared memory that stage the records of a unit; 0 if records are not staged
  int64_t firstIndex;
  int64_t ringBytes; ///< bytes of the circular buffer of a unit in shared memory; 0 if there is none

  mlir::Value lane, warp, cta, unit, isUnit, writes,
      isFirst;                        ///< writes: this lane writes for its unit; isFirst: it writes the block's header
  mlir::Value block;                  ///< the block's part of the buffer; used at the kernel's beginning
  mlir::Value deviceRecords, records; ///< the unit's records: in the buffer, and during collection
  mlir::Value number;                 ///< memory that holds the index of the next record, not reduced to the capacity
  /// Values for records in shared memory. `spare` is the address of the dummy record. `target` is the address to which
  /// this lane stores: `records` or, in lanes that write no records, `spare`. `places` is a mask for the running index.
  mlir::Value spare, target, places;
  /// The running index before the first unchecked record; null if all records are checked.
  mlir::Value unchecked;
};

} // namespace hocket

#endif
