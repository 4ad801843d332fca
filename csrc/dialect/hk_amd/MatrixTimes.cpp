//===- MatrixTimes.cpp - Times of MFMAs -------------------------------------------===//
#include "dialect/hk_amd/MatrixTimes.h"

#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk_amd/MfmaSelection.h"

using namespace mlir;

namespace hocket::hk_amd {

/// Returns the number and the duration of the matrix instructions that one warp executes. Each instruction computes `m`
/// x `n` accumulators, in `blocks` matrices, over `k` elements along K. The number of instructions follows from the
/// number of accumulators of a lane.
static hk::MatrixWork workOf(Operation *op, RankedTensorType acc, int64_t depth, int m, int n, int k, int blocks,
                             MatrixRate rate) {
  const TargetInfo &target = hk::targetOf(op);
  int64_t elements = int64_t(hk::toLinearLayout(acc).getInDimSize(Dim::Register)) * target.warpSize;
  hk::MatrixWork work;
  work.stepsAlongK = std::max<int64_t>(1, depth / k);
  work.instructions = std::max<int64_t>(1, elements / (int64_t(m) * n)) * work.stepsAlongK;
  // matrixPasses treats the small shapes (64 x 4, 4 x 64, 4 x 4) as 16 blocks of 4 x 4.
  work.clocksEach = int64_t(matrixPasses(target, std::min(m, n), blocks, rate)) * target.costs->matrixPass;
  return work;
}

namespace {
struct MfmaTime : hk::MatrixTime::ExternalModel<MfmaTime, MfmaOp> {
  hk::MatrixWork getMatrixWork(Operation *op) const {
    auto mfma = cast<MfmaOp>(op);
    RankedTensorType acc = mfma.getAcc().getType(), a = mfma.getA().getType(), b = mfma.getB().getType();
    // The instruction exists, because the verifier has checked it.
    const MfmaInstruction *found = selectMfma(cast<MfmaAttr>(acc.getEncoding()), a.getElementType(), b.getElementType(),
                                              [&] { return op->emitOpError(); });
    // An f32 instruction reads one element along K from each lane; an xf32 instruction reads two.
    bool isF32 = found->a == NumberFormat::F32 && found->elementsPerLane == 1;
    MatrixRate rate = found->a == NumberFormat::F64 ? MatrixRate::F64 : isF32 ? MatrixRate::F32 : MatrixRate::Narrow;
    return workOf(op, acc, a.getShape().back(), found->m, found->n, found->k, found->blocks, rate);
  }
};

struct MfmaScaledTime : hk::MatrixTime::ExternalModel<MfmaScaledTime, MfmaScaledOp> {
  hk::MatrixWork getMatrixWork(Operation *op) const {
    auto mfma = cast<MfmaScaledOp>(op);
    RankedTensorType acc = mfma.getAcc().getType();
    auto layout = cast<MfmaAttr>(acc.getEncoding());
    auto has8Bits = [](ScaledFormat format) { return format == ScaledFormat::E4M3 || format == ScaledFormat::E5M2; };
    MatrixRate rate =
        has8Bits(mfma.getAFormat()) || has8Bits(mfma.getBFormat()) ? MatrixRate::Scaled8 : MatrixRate::Scaled;
    int64_t elementsPerByte = mfma.getAFormat() == ScaledFormat::E2M1 ? 2 : 1;
    return workOf(op, acc, mfma.getA().getType().getShape().back() * elementsPerByte, int(layout.getM()),
                  int(layout.getN()), int(layout.getK()), /*blocks=*/1, rate);
  }
};
} // namespace

void attachMatrixTimes(MLIRContext &context) {
  MfmaOp::attachInterface<MfmaTime>(context);
  MfmaScaledOp::attachInterface<MfmaScaledTime>(context);
}

} // namespace hocket::hk_amd
