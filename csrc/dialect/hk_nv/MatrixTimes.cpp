//===- MatrixTimes.cpp - Times of wgmma and mma.sync ------------------------------===//
#include "dialect/hk_nv/MatrixTimes.h"

#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk_nv/WgmmaSelection.h"

using namespace mlir;

namespace hocket::hk_nv {

/// Returns the number and the duration of the matrix instructions that one warp executes. Each instruction computes
/// `registers` accumulators of every lane over `k` elements along K, in `passes` passes of the matrix unit.
static hk::MatrixWork workOf(Operation *op, RankedTensorType acc, int64_t depth, int registers, int k, int passes) {
  int64_t accumulators = hk::toLinearLayout(acc).getInDimSize(Dim::Register);
  hk::MatrixWork work;
  work.stepsAlongK = std::max<int64_t>(1, depth / k);
  work.instructions = std::max<int64_t>(1, accumulators / registers) * work.stepsAlongK;
  work.clocksEach = int64_t(passes) * hk::targetOf(op).costs->matrixPass;
  return work;
}

// An instruction exists for each operation, because the verifiers have checked it.
namespace {
struct MmaTime : hk::MatrixTime::ExternalModel<MmaTime, MmaOp> {
  hk::MatrixWork getMatrixWork(Operation *op) const {
    auto mma = cast<MmaOp>(op);
    return workOf(op, mma.getAcc().getType(), mma.getA().getType().getShape().back(), kMmaAccumulators,
                  mmaInstructionOf(mma)->k, /*passes=*/1);
  }
};

struct WarpgroupMmaTime : hk::MatrixTime::ExternalModel<WarpgroupMmaTime, WarpgroupMmaOp> {
  hk::MatrixWork getMatrixWork(Operation *op) const {
    auto mma = cast<WarpgroupMmaOp>(op);
    WgmmaInstruction instruction = *wgmmaOf(mma);
    // A lane holds N / 2 elements of a wgmma's result. A wgmma costs as much as N / 8 mma.syncs (CostTable.cpp).
    return workOf(op, mma.getAcc().getType(), cast<ShapedType>(mma.getA().getType()).getShape().back(),
                  instruction.n / 2, instruction.k(), instruction.n / kMmaColumns);
  }
};
} // namespace

void attachMatrixTimes(MLIRContext &context) {
  MmaOp::attachInterface<MmaTime>(context);
  WarpgroupMmaOp::attachInterface<WarpgroupMmaTime>(context);
}

} // namespace hocket::hk_nv
