//===- PlaceDescriptors.cpp - Allocates memory for descriptors that kernels build --------===//
//
// TMA reads descriptors from global memory. Each hk_nv.make_tensor_desc of a kernel is assigned 128 bytes of the
// launch's scratch memory for each block:
//
//     func.func @kernel(..., %scratch: !hk.ptr<i8> {hk.implicit = #hk.implicit<scratch, ..., bytes_per_block = 256>}) {
//       %first = hk.addptr %scratch, %block * 256            at the beginning of the kernel; in a cluster, each CTA
//                                                            has its own scratch memory
//       %place = hk.addptr %first, 128                       memory of the second descriptor
//       %desc = hk_nv.make_tensor_desc %base ... at %place
//
// A worker that builds a descriptor captures %first. A worker that captures a descriptor begins with an acquire fence:
// the fence of the lane that has built the descriptor is effective only for copies by that lane.
//
// Input:   hk, with workers as regions. Output: hk; every make_tensor_desc has memory.
//
//===-----------------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ImplicitArguments.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/nvidia/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PLACEDESCRIPTORS
#include "transforms/nvidia/Passes.h.inc"

namespace {

Value constant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIntOp::create(builder, loc, number, 64);
}

/// Returns the linear index of the block, x + width * (y + height * z), in 64 bits. The blocks of a cluster are
/// consecutive.
Value blockNumber(OpBuilder &builder, Location loc, int numCtas) {
  auto wide = [&](Value value) -> Value { return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value); };
  Value number;
  for (int axis = 2; axis >= 0; --axis) {
    Value id = wide(hk::ProgramIdOp::create(builder, loc, axis));
    if (number) {
      Value count = wide(hk::NumProgramsOp::create(builder, loc, axis));
      number = arith::MulIOp::create(builder, loc, number, count);
      number = arith::AddIOp::create(builder, loc, number, id);
    } else {
      number = id;
    }
  }
  if (numCtas == 1)
    return number;
  number = arith::MulIOp::create(builder, loc, number, constant(builder, loc, numCtas));
  return arith::AddIOp::create(builder, loc, number, wide(hk::CtaRankOp::create(builder, loc, builder.getI32Type())));
}

/// Returns the argument of `worker` for `value`, a value of the kernel. If the worker does not capture `value` yet,
/// adds `value` to the captured values.
Value capture(hk::WorkerOp worker, Value value) {
  for (auto [captured, argument] : llvm::zip_equal(worker.getCaptures(), worker.getBody().getArguments()))
    if (captured == value)
      return argument;
  worker.getCapturesMutable().append(value);
  return worker.getBody().addArgument(value.getType(), value.getLoc());
}

void acquireInWorkers(func::FuncOp kernel) {
  kernel.walk([&](hk::WorkerOp worker) {
    OpBuilder builder = OpBuilder::atBlockBegin(&worker.getBody().front());
    for (auto [captured, argument] : llvm::zip_equal(worker.getCaptures(), worker.getBody().getArguments())) {
      auto passed = dyn_cast<BlockArgument>(captured);
      bool isOfLaunch = passed && passed.getOwner() == &kernel.getBody().front();
      if (isa<hk_nv::TensorDescType>(argument.getType()) && !isOfLaunch)
        hk_nv::AcquireTensorDescOp::create(builder, worker.getLoc(), argument);
    }
  });
}

/// Assigns memory to the descriptors that `kernel` builds; returns true if there are any.
bool placeDescriptors(func::FuncOp kernel) {
  SmallVector<hk_nv::MakeTensorDescOp> made;
  kernel.walk([&](hk_nv::MakeTensorDescOp op) { made.push_back(op); });
  if (made.empty())
    return false;
  const int64_t bytes = made.front().getResult().getType().getPassedBytes();
  const int64_t bytesPerBlock = bytes * int64_t(made.size());
  const int numCtas = hk::numCtasOf(kernel);
  Value scratch = hk::appendImplicitArgument(
      kernel, hk::ImplicitAttr::get(kernel.getContext(), hk::ImplicitKind::Scratch, 0, bytesPerBlock * numCtas));
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Value offset =
      arith::MulIOp::create(builder, loc, blockNumber(builder, loc, numCtas), constant(builder, loc, bytesPerBlock));
  Value first = hk::AddPtrOp::create(builder, loc, scratch, offset);
  for (auto [i, op] : llvm::enumerate(made)) {
    auto worker = op->getParentOfType<hk::WorkerOp>();
    builder.setInsertionPoint(op);
    Value own = worker ? capture(worker, first) : first;
    Value place = hk::AddPtrOp::create(builder, op.getLoc(), own, constant(builder, op.getLoc(), int64_t(i) * bytes));
    op.getPlaceMutable().assign(place);
  }
  acquireInWorkers(kernel);
  return true;
}

struct PlaceDescriptorsPass : impl::PlaceDescriptorsBase<PlaceDescriptorsPass> {
  void runOnOperation() override {
    bool isChanged = false;
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      isChanged |= placeDescriptors(kernel);
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace hocket
