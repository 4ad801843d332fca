//===- Clocks.h - A vendor's clocks for the profiler -----------------------------------------===//
//
//                        NVIDIA                         AMD
//   cycles               %clock, %clock64               s_memtime
//   steady               %globaltimer                   s_memrealtime
//   hardwareUnit         %smid                          XCC_ID << 8 | bits 15:8 of HW_ID
//   hardwareSlot         %warpid                        bits 5:0 of HW_ID
//
// The emulator implements these instructions with its virtual clock (lane_to_host/ops/ClockReads.cpp).
//
// PTX ISA 9.0, "Special Registers"; "AMD Instinct MI300" ISA guide, "S_GETREG_B32", "S_MEMTIME", "S_MEMREALTIME".
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_PROF_TO_LLVM_CLOCKS_H
#define HOCKET_CONVERSION_PROF_TO_LLVM_CLOCKS_H

#include "mlir/IR/Builders.h"
#include "target/TargetInfo.h"

#include <functional>
#include <memory>

namespace hocket {

class Clocks {
public:
  virtual ~Clocks() = default;

  /// Returns the cycle counter as `type`, i32 or i64, in one read.
  virtual mlir::Value cycles(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) const = 0;
  /// Returns, as i64, a counter of constant frequency that all SMs or compute units share.
  virtual mlir::Value steady(mlir::OpBuilder &builder, mlir::Location loc) const = 0;
  /// Functions that return, as i32, the index of the SM or compute unit that runs the block, and the index of the
  /// warp's slot in this unit.
  virtual mlir::Value hardwareUnit(mlir::OpBuilder &builder, mlir::Location loc) const = 0;
  virtual mlir::Value hardwareSlot(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  /// True if a clock read directly after `op` can be executed before `op` is complete. The caller must then emit an
  /// operation that waits for all lanes of the warp between `op` and the clock read.
  virtual bool outruns(mlir::Operation *op) const { return false; }

  /// Called after a predicated store, which can become a branch. Prevents LLVM from duplicating the code after the
  /// store into both sides of the branch, where lanes of the warp would execute the two copies one after the other.
  /// Emits no instruction.
  virtual void keepBranchesApart(mlir::OpBuilder &builder, mlir::Location loc) const {}
};

std::unique_ptr<Clocks> makeNvvmClocks();
std::unique_ptr<Clocks> makeRocdlClocks();
using ClocksFactory = std::function<std::unique_ptr<Clocks>(const TargetInfo &)>;

} // namespace hocket

#endif
