//===- LaneRecords.h - What each lane knows to write records ----------------------------------===//
//
//   once, where the kernel begins      who am I: the warp, its unit, whether this lane writes; where the unit's records
//   are for each record                    the running number -> its place, one store of 8 bytes; the number goes up
//   where the warp ends                the count; records of shared memory copied by all lanes
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_LANERECORDS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_LANERECORDS_H

#include "conversion/hk_to_llvm/TargetLowering.h"
#include "conversion/prof_to_llvm/Clocks.h"
#include "dialect/prof/ProfDialect.h"

namespace hocket {

class LaneRecords {
public:
  /// Emits the first part at the beginning of `kernel`. `buffer`: all blocks' records, in global memory. `shared`:
  /// where the block's records are in shared memory, null if they are not.
  LaneRecords(mlir::IRRewriter &rewriter, mlir::LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc,
              prof::ConfigAttr config, const TargetLowering &lowering, const Clocks &clocks, mlir::Value buffer);

  /// Each where `rewriter` stands.
  void writeBeginning();
  void write(prof::StoreRecordOp op);
  /// Of the warp; with `isKernels`, of the block as well.
  void writeEnd(bool isKernels);

  /// The running number becomes values of its own, without memory.
  mlir::LogicalResult promoteNumber();

private:
  mlir::Value i32(int64_t value);
  mlir::Value at(mlir::Value base, mlir::Value bytes);
  mlir::Value at(mlir::Value base, int64_t bytes);
  mlir::Value pair(mlir::Value low, mlir::Value high);
  mlir::Value both(mlir::Value a, mlir::Value b);
  void storeGlobal(mlir::Value address, mlir::Value value, mlir::Value pred = {});
  void findUnit();
  void findMemory(mlir::Value buffer);
  /// A time in the header: the steady clock and the cycles, from `offset` on.
  void writeTimes(mlir::Value header, int64_t offset);
  void storeShared(mlir::Value count, mlir::Value words, mlir::Value pred);
  void copyToDevice(mlir::Value count);

  mlir::IRRewriter &rewriter;
  mlir::LLVM::LLVMFuncOp kernel;
  prof::BufferAllocOp alloc;
  prof::ConfigAttr config;
  const TargetLowering &lowering;
  const Clocks &clocks;
  mlir::Location loc;
  prof::Space space;
  int64_t units, bytesPerUnit, capacity;

  mlir::Value lane, warp, cta, unit, isUnit, writes,
      isFirst;                        ///< writes: this lane, for its unit; isFirst: the block's header
  mlir::Value block;                  ///< its part of the buffer; used where the kernel begins
  mlir::Value deviceRecords, records; ///< of the unit: in the buffer, and where they are collected
  mlir::Value number;                 ///< memory of the running number
  /// Where records are collected in shared memory: where a lane stores that has nothing to write, where one stores
  /// (`spare` or `records`), and what of the running number counts for it.
  mlir::Value spare, target, places;
};

} // namespace hocket

#endif
