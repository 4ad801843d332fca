//===- ExpandClusterBarriers.cpp - Expands cluster barriers in partitions of warps ------------===//
//
// The hardware's cluster barrier counts all threads of all CTAs, so a single partition of warps cannot use it. In a
// partition, the warps that run this partition in all CTAs therefore wait for each other at two mbarriers:
//
//     hk.cluster_barrier      for r = 0, 1:      mbarrier_arrive %done             at the mbarrier of CTA 0
//                                                mbarrier_wait %done, r            only CTA 0
//                                                mbarrier_arrive %free from_cta 0  only CTA 0, at the mbarriers of all CTAs
//                                                mbarrier_wait %free, r
//
// The mbarriers of a partition are initialized once, at the start of the kernel. Each barrier consists of two rounds
// (r), after which the mbarriers have their original parity. The parity at a cluster barrier therefore does not depend
// on preceding loops and branches.
//
// A layout conversion between CTAs in a partition becomes a store to shared memory and a load, with a cluster barrier
// before and after the load:
//
//     hk.convert_layout %x    %t = hk.local_alloc %x; barrier; hk.local_load %t; barrier
//
// Input:   hk with decided layouts, before shared memory is allocated.
// Output:  hk without hk.cluster_barrier and conversions between CTAs in partitions.
// Not done: barriers in partitions that only some CTAs run; hk.cluster_arrive and hk.cluster_wait.
// Cost:    two round trips between the CTAs for each barrier.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "layout/SharedAlignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "plans/ClusterMovesPlan.h"
#include "transforms/nvidia/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_EXPANDCLUSTERBARRIERS
#include "transforms/nvidia/Passes.h.inc"

namespace {

/// The mbarriers of one partition.
struct Mbarriers {
  Value done; ///< mbarrier at which all CTAs arrive, in the shared memory of CTA 0
  Value free; ///< mbarrier in each CTA, at which CTA 0 arrives
};

bool movesBetweenCtas(hk::ConvertLayoutOp op) {
  auto type = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  auto plan = hk::planConvertLayout(type(op.getSrc()), type(op.getResult()), hk::targetOf(op));
  return plan && std::holds_alternative<ClusterMoves>(*plan);
}

/// Creates an mbarrier in each CTA or, if `isShared`, one for all CTAs.
Value createMbarrier(OpBuilder &builder, Location loc, int numCtas, bool isShared, int64_t arrivals) {
  hk::BasisRows copies(isShared ? log2Exact(numCtas) : 0, std::vector<int32_t>{0});
  auto layout = hk::SwizzledSharedAttr::get(builder.getContext(), 1, 1, 1, {0}, copies);
  auto type = hk::MemDescType::get(ArrayRef<int64_t>{1}, builder.getI64Type(), layout);
  Value barrier = hk::LocalAllocOp::create(builder, loc, type, Value());
  hk_nv::MbarrierInitOp::create(builder, loc, barrier, int32_t(arrivals));
  return barrier;
}

class Expansion {
public:
  explicit Expansion(func::FuncOp function) : function(function), numCtas(hk::numCtasOf(function)) {}
  LogicalResult run();

private:
  LogicalResult expand(Region &partition);
  Mbarriers createMbarriers(Region &partition);
  void expandBarrier(OpBuilder &builder, Location loc, const Mbarriers &mbarriers);
  LogicalResult expandConversion(hk::ConvertLayoutOp op, const Mbarriers &mbarriers);

  func::FuncOp function;
  const int numCtas;
};

} // namespace

/// Creates the mbarriers of `partition` at the start of the kernel. If `partition` is a worker, the worker captures the
/// mbarriers.
Mbarriers Expansion::createMbarriers(Region &partition) {
  Location loc = partition.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Mbarriers mbarriers = {createMbarrier(builder, loc, numCtas, /*isShared=*/true, numCtas),
                         createMbarrier(builder, loc, numCtas, /*isShared=*/false, 1)};
  auto worker = dyn_cast<hk::WorkerOp>(partition.getParentOp());
  if (!worker)
    return mbarriers;
  for (Value *handle : {&mbarriers.done, &mbarriers.free}) {
    worker.getCapturesMutable().append(*handle);
    *handle = partition.front().addArgument(handle->getType(), loc);
  }
  return mbarriers;
}

void Expansion::expandBarrier(OpBuilder &builder, Location loc, const Mbarriers &mbarriers) {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        hk::CtaRankOp::create(builder, loc, builder.getI32Type()), zero);
  auto arrive = [&](Value barrier, IntegerAttr fromCta) {
    hk_nv::MbarrierArriveOp::create(builder, loc, barrier, 1, /*pred=*/Value(), /*per_warp=*/false, fromCta,
                                    /*relaxed=*/false, /*reaches_other_ctas=*/true);
  };
  for (int32_t round : {0, 1}) {
    Value phase = arith::ConstantIntOp::create(builder, loc, round, 32);
    arrive(mbarriers.done, {});
    hk_nv::MbarrierWaitOp::create(builder, loc, mbarriers.done, phase, isFirst, ValueRange());
    arrive(mbarriers.free, builder.getI32IntegerAttr(0));
    hk_nv::MbarrierWaitOp::create(builder, loc, mbarriers.free, phase, /*pred=*/Value(), ValueRange(),
                                  /*ends_cluster_barrier=*/round == 1);
  }
}

/// Returns the type of a buffer that is distributed among the CTAs like `src`. The part of each CTA is in row-major
/// order. Returns null if the part of a CTA is not a box of the tile.
static hk::MemDescType bufferFor(RankedTensorType src, Type element) {
  LinearLayout layout = hk::toLinearLayout(src);
  std::optional<LinearLayout> part = withinBlock(layout);
  if (!part)
    return {};
  hk::BasisRows offset, block;
  unsigned rank = src.getRank();
  for (unsigned dim = rank; dim-- > 0;)
    for (unsigned bit = 0; bit < part->getOutDimSizeLog2(tensorDim(dim)); ++bit) {
      std::vector<int32_t> row(rank, 0);
      row[dim] = 1 << bit;
      offset.push_back(row);
    }
  if (layout.hasInDim(Dim::Block))
    block = layout.getBasisRows(Dim::Block);
  auto shared = hk::SharedLinearAttr::get(src.getContext(), offset, block, kSharedAlignment);
  return hk::MemDescType::get(src.getShape(), element, shared);
}

LogicalResult Expansion::expandConversion(hk::ConvertLayoutOp op, const Mbarriers &mbarriers) {
  Location loc = op.getLoc();
  auto src = cast<RankedTensorType>(op.getSrc().getType());
  OpBuilder builder(op);
  Type element = src.getElementType();
  bool isBool = element.isInteger(1);
  if (!isBool && !element.isIntOrFloat())
    return op.emitError(
        "a conversion of pointers between the CTAs of a cluster in a partition of warp_specialize is not "
        "supported; convert the offsets, and add them to the pointer afterwards");
  Type stored = isBool ? builder.getI8Type() : element;
  hk::MemDescType type = bufferFor(src, stored);
  if (!type)
    return op.emitError(
        "a conversion between blocks of a cluster needs a layout in which the part of each block is a box of the tile");
  Value value = op.getSrc();
  if (isBool)
    value = arith::ExtUIOp::create(builder, loc, src.clone(stored), value);
  Value buffer = hk::LocalAllocOp::create(builder, loc, type, value);
  expandBarrier(builder, loc, mbarriers);
  auto result = cast<RankedTensorType>(op.getType());
  Value loaded = hk::LocalLoadOp::create(builder, loc, result.clone(stored), buffer, /*relaxed=*/false);
  expandBarrier(builder, loc, mbarriers);
  if (isBool)
    loaded = arith::TruncIOp::create(builder, loc, result, loaded);
  op.replaceAllUsesWith(loaded);
  op.erase();
  return success();
}

LogicalResult Expansion::expand(Region &partition) {
  SmallVector<hk::ClusterBarrierOp> barriers;
  SmallVector<hk::ConvertLayoutOp> conversions;
  partition.walk([&](Operation *op) {
    if (auto barrier = dyn_cast<hk::ClusterBarrierOp>(op))
      barriers.push_back(barrier);
    auto convert = dyn_cast<hk::ConvertLayoutOp>(op);
    if (convert && movesBetweenCtas(convert))
      conversions.push_back(convert);
  });
  if (barriers.empty() && conversions.empty())
    return success();
  Mbarriers mbarriers = createMbarriers(partition);
  for (hk::ClusterBarrierOp barrier : barriers) {
    OpBuilder builder(barrier);
    expandBarrier(builder, barrier.getLoc(), mbarriers);
    barrier.erase();
  }
  for (hk::ConvertLayoutOp convert : conversions)
    if (failed(expandConversion(convert, mbarriers)))
      return failure();
  return success();
}

LogicalResult Expansion::run() {
  SmallVector<Region *> partitions;
  function.walk([&](hk::WarpSpecializeOp op) {
    partitions.push_back(&op.getBody());
    for (hk::WorkerOp worker : op.getWorkerOps())
      partitions.push_back(&worker.getBody());
  });
  for (Region *partition : partitions)
    if (failed(expand(*partition)))
      return failure();
  return success();
}

namespace {
struct ExpandClusterBarriersPass : impl::ExpandClusterBarriersBase<ExpandClusterBarriersPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())))
      return signalPassFailure();
    if (hk::numCtasOf(getOperation()) == 1)
      return markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(Expansion(function).run()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
