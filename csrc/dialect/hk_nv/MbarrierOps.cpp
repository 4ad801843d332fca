//===- MbarrierOps.cpp - Operations of MbarrierOps.td: verification and interfaces --------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "layout/Limits.h"
#include "target/Mbarriers.h"

using namespace mlir;

namespace hocket::hk_nv {

// SharedBarrierUse ----------------------------------------------------------------------------------------------------

bool MbarrierInitOp::isByOneThread() { return true; }
bool MbarrierInitOp::isConcurrent() { return false; }
bool MbarrierInitOp::precedesWaits() { return false; }
bool MbarrierInitOp::signalsAll() { return false; }

bool MbarrierInvalidateOp::isByOneThread() { return true; }
/// All waits have completed before the invalidation, so no other use of the mbarrier can be concurrent with the
/// invalidation.
bool MbarrierInvalidateOp::isConcurrent() { return false; }
bool MbarrierInvalidateOp::precedesWaits() { return false; }
bool MbarrierInvalidateOp::signalsAll() { return false; }

bool MbarrierExpectOp::isByOneThread() { return true; }
bool MbarrierExpectOp::isConcurrent() { return true; }
bool MbarrierExpectOp::precedesWaits() { return false; }
bool MbarrierExpectOp::signalsAll() { return true; }

bool MbarrierArriveOp::isByOneThread() { return !getPerWarp(); }
bool MbarrierArriveOp::isConcurrent() { return true; }
bool MbarrierArriveOp::precedesWaits() { return false; }
bool MbarrierArriveOp::signalsAll() { return true; }
bool MbarrierArriveOp::isPerWarp() { return getPerWarp(); }

bool MbarrierArriveCopiesOp::isByOneThread() { return false; }
bool MbarrierArriveCopiesOp::isConcurrent() { return true; }
bool MbarrierArriveCopiesOp::precedesWaits() { return getIncrement(); }
bool MbarrierArriveCopiesOp::signalsAll() { return false; }
hk::AsyncCounter MbarrierArriveCopiesOp::getArrivingCounter() { return hk::kCopyGroups; }
hk::BarrierPhase MbarrierArriveCopiesOp::getArrivalPhase() { return {getBarrier()}; }

bool MbarrierWaitOp::isByOneThread() { return false; }
bool MbarrierWaitOp::isConcurrent() { return true; }
bool MbarrierWaitOp::precedesWaits() { return false; }
bool MbarrierWaitOp::signalsAll() { return false; }
std::optional<hk::BarrierPhase> MbarrierWaitOp::getAwaitedPhase() { return hk::BarrierPhase{getBarrier(), getPhase()}; }

// Verification --------------------------------------------------------------------------------------------------------

bool isOneMbarrier(hk::MemDescType type) {
  if (!type.getElementType().isInteger(64) || type.getShape().size() != 1)
    return false;
  // A buffer with one i64 in each block of a cluster is one mbarrier. The sizes of the dimensions are checked first,
  // because getAllocBytes() could overflow.
  bool isOneEach = llvm::all_of(type.getAllocShape(), [](int64_t size) { return size <= kMaxTensorElements; }) &&
                   type.getAllocBytes() == kMbarrierBytes;
  return type.getShape().front() == 1 || isOneEach;
}

int32_t sharersOf(hk::MemDescType mbarrier) {
  auto layout = dyn_cast<hk::SwizzledSharedAttr>(mbarrier.getLayout());
  int32_t sharers = 0;
  for (unsigned bit = 0; layout && bit < layout.getBlock().size(); ++bit)
    if (llvm::all_of(layout.getBlock()[bit], [](int32_t entry) { return entry == 0; }))
      sharers |= 1 << bit;
  return sharers;
}

static LogicalResult verifyBarrier(Operation *op, Value barrier) {
  auto type = cast<hk::MemDescType>(barrier.getType());
  if (isOneMbarrier(type))
    return success();
  return op->emitOpError() << "needs a handle to one i64, not " << type;
}

static LogicalResult verifyRange(Operation *op, StringRef name, int64_t value, int64_t least, int64_t most) {
  if (least <= value && value <= most)
    return success();
  return op->emitOpError() << "needs '" << name << "' from " << least << " to " << most << ", not " << value;
}

static LogicalResult verifyFromCta(Operation *op, Value barrier, std::optional<uint32_t> fromCta) {
  if (!fromCta)
    return success();
  if (sharersOf(cast<hk::MemDescType>(barrier.getType())))
    return op->emitOpError() << "of an mbarrier that blocks share needs no 'from_cta'";
  return verifyRange(op, "from_cta", int32_t(*fromCta), 0, hk::numCtasOf(op) - 1);
}

LogicalResult MbarrierInitOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier())))
    return failure();
  return verifyRange(*this, "count", int32_t(getCount()), 1, kMostMbarrierArrivals);
}

LogicalResult MbarrierInvalidateOp::verify() { return verifyBarrier(*this, getBarrier()); }

LogicalResult MbarrierExpectOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier())))
    return failure();
  if (failed(verifyRange(*this, "bytes", int32_t(getBytes()), 0, kMostMbarrierBytes)))
    return failure();
  return verifyFromCta(*this, getBarrier(), getFromCta());
}

LogicalResult MbarrierArriveOp::verify() {
  if (failed(verifyBarrier(*this, getBarrier())) ||
      failed(verifyRange(*this, "count", int32_t(getCount()), 1, kMostMbarrierArrivals)))
    return failure();
  if (getRelaxed() && !getFromCta() && !sharersOf(cast<hk::MemDescType>(getBarrier().getType())))
    return emitOpError("'relaxed' needs an mbarrier of another block");
  return verifyFromCta(*this, getBarrier(), getFromCta());
}

LogicalResult MbarrierArriveCopiesOp::verify() { return verifyBarrier(*this, getBarrier()); }

LogicalResult MbarrierWaitOp::verify() { return verifyBarrier(*this, getBarrier()); }

} // namespace hocket::hk_nv
