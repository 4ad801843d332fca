//===- Clocks.h - What the profiler asks of a vendor's machine -------------------------------===//
//
//                        NVIDIA                         AMD
//   cycles               %clock, %clock64               s_memtime
//   steady               %globaltimer                   s_memrealtime
//   hardwareUnit         %smid                          XCC_ID << 8 | bits 15:8 of HW_ID
//   hardwareSlot         %warpid                        bits 5:0 of HW_ID
//
// The emulator knows these instructions (gpu_to_host/ClockReads.cpp) and answers with its virtual clock.
//
// PTX ISA 9.0, "Special Registers"; "AMD Instinct MI300" ISA guide, "S_GETREG_B32", "S_MEMTIME", "S_MEMREALTIME".
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_CLOCKS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_CLOCKS_H

#include "mlir/IR/Builders.h"
#include "target/TargetInfo.h"

#include <memory>

namespace hocket {

class Clocks {
public:
  virtual ~Clocks() = default;

  /// The cycle counter as `type`, i32 or i64, in one reading.
  virtual mlir::Value cycles(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) const = 0;
  /// A counter of constant frequency that all units share, i64.
  virtual mlir::Value steady(mlir::OpBuilder &builder, mlir::Location loc) const = 0;
  /// i32: the multiprocessor or compute unit that runs the block, and the place of the warp in it.
  virtual mlir::Value hardwareUnit(mlir::OpBuilder &builder, mlir::Location loc) const = 0;
  virtual mlir::Value hardwareSlot(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  /// Whether a clock that is read right after `op` may be read before `op` is over. What waits for all lanes of the
  /// warp then has to come first.
  virtual bool outruns(mlir::Operation *op) const { return false; }

  /// After a store under a predicate, where that becomes a branch: keeps LLVM from copying what follows into both sides
  /// of it, which the lanes of a warp would then run one after the other. No instruction.
  virtual void keepBranchesApart(mlir::OpBuilder &builder, mlir::Location loc) const {}
};

std::unique_ptr<Clocks> makeNvvmClocks();
std::unique_ptr<Clocks> makeRocdlClocks();
std::unique_ptr<Clocks> makeClocks(const TargetInfo &target);

} // namespace hocket

#endif
