//===- AtomicBinOp.h - Conversion of atomic operations to LLVM's enumeration -----------------------===//
#ifndef HOCKET_DIALECT_LANE_ATOMICBINOP_H
#define HOCKET_DIALECT_LANE_ATOMICBINOP_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace hocket::lane {

inline mlir::LLVM::AtomicBinOp binaryOf(hk::AtomicOp op) {
  switch (op) {
  case hk::AtomicOp::And:
    return mlir::LLVM::AtomicBinOp::_and;
  case hk::AtomicOp::Or:
    return mlir::LLVM::AtomicBinOp::_or;
  case hk::AtomicOp::Xor:
    return mlir::LLVM::AtomicBinOp::_xor;
  case hk::AtomicOp::Add:
    return mlir::LLVM::AtomicBinOp::add;
  case hk::AtomicOp::FAdd:
    return mlir::LLVM::AtomicBinOp::fadd;
  case hk::AtomicOp::Max:
    return mlir::LLVM::AtomicBinOp::max;
  case hk::AtomicOp::Min:
    return mlir::LLVM::AtomicBinOp::min;
  case hk::AtomicOp::UMax:
    return mlir::LLVM::AtomicBinOp::umax;
  case hk::AtomicOp::UMin:
    return mlir::LLVM::AtomicBinOp::umin;
  case hk::AtomicOp::Xchg:
    return mlir::LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("all operations are handled");
}

} // namespace hocket::lane

#endif
