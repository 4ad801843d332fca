//===- LaneStack.cpp - Stack memory of a lane for runtime calls ----------------------===//
#include "conversion/lane_to_host/parts/LaneStack.h"

using namespace mlir;

namespace hocket {

Value SharedStackMemory::reserve(int64_t least) {
  if (address && least <= bytes)
    return address;
  OpBuilder::InsertionGuard guard(host.builder);
  host.builder.setInsertionPointToStart(&host.function().getBody().front());
  bytes = least;
  Value size = host.i64(bytes);
  if (address) {
    auto allocation = address.getDefiningOp<LLVM::AllocaOp>();
    allocation->moveAfter(size.getDefiningOp());
    allocation.getArraySizeMutable().assign(size);
    return address;
  }
  constexpr unsigned kAlignment = 16; // a larger alignment would enlarge the stack frame of every lane
  return address = LLVM::AllocaOp::create(host.builder, host.function().getLoc(),
                                          LLVM::LLVMPointerType::get(host.builder.getContext()),
                                          host.builder.getI8Type(), size, kAlignment);
}

Value LaneStack::allocate(int64_t count) {
  OpBuilder::InsertionGuard guard(host.builder);
  host.builder.setInsertionPointToStart(&host.function().getBody().front());
  return LLVM::AllocaOp::create(host.builder, host.function().getLoc(),
                                LLVM::LLVMPointerType::get(host.builder.getContext()), host.builder.getI64Type(),
                                host.i64(count));
}

} // namespace hocket
