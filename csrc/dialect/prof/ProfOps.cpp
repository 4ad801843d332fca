//===- ProfOps.cpp - Operations of ProfOps.td: verification ------------------------===//
#include "dialect/prof/ProfDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket::prof {

static LogicalResult verifyName(Operation *op, StringRef name) {
  return name.empty() ? op->emitOpError("must have a name") : success();
}

LogicalResult RecordOp::verify() {
  bool isMark = getKind() == RecordKind::Mark;
  bool fits =
      isMark ? getSiteKind() == SiteKind::Mark : getSiteKind() != SiteKind::Mark && getSiteKind() != SiteKind::Token;
  if (!fits)
    return emitOpError() << "of kind " << stringifyRecordKind(getKind()) << " cannot be of a site of kind "
                         << stringifySiteKind(getSiteKind());
  if (getKind() == RecordKind::End && getPayload())
    return emitOpError("cannot have a payload: the record that begins the scope has it");
  return verifyName(*this, getName());
}

LogicalResult BeginOp::verify() { return verifyName(*this, getName()); }

// The buffer ---------------------------------------------------------------------------------------------------------

LogicalResult BufferAllocOp::verify() {
  auto type = cast<hk::MemDescType>(getType());
  auto layout = dyn_cast<RecordsAttr>(type.getLayout());
  ArrayRef<int64_t> shape = type.getShape();
  bool isRing = layout && type.getElementType().isInteger(32) && shape.size() == 2 && shape == type.getAllocShape() &&
                shape[1] >= 4 && shape[0] == int64_t(getWarps().size());
  if (!isRing)
    return emitOpError() << "must be an i32 array with a row of at least 4 words for each of " << getWarps().size()
                         << " warps, in #prof.records, not " << type;
  for (size_t i = 0; i < getWarps().size(); ++i)
    if (getWarps()[i] < 0 || (i > 0 && getWarps()[i] <= getWarps()[i - 1]))
      return emitOpError("must name warps in ascending order");
  if ((layout.getSpace() == Space::Static) != getSymbol().has_value())
    return emitOpError("must have a symbol if and only if its space is static");
  if (getStaging().has_value() != getFlushSite().has_value())
    return emitOpError("must have a site for flushes if and only if its records are staged");
  if (getStaging() && (layout.getSpace() != Space::Device || int64_t(*getStaging()) > shape[1] * 4))
    return emitOpError("stages records only for device memory, which holds at least the staged records of a warp");
  for (Operation *user : getBuffer().getUsers())
    if (!isa<InitOp, FinalizeOp, BufferDeallocOp>(user))
      return user->emitOpError("cannot use the memory of a prof.buffer_alloc, because no barriers are inserted for it");
  Operation *function = (*this)->getParentOfType<FunctionOpInterface>();
  BufferAllocOp other;
  if (function)
    function->walk([&](BufferAllocOp alloc) {
      if (alloc != *this)
        other = alloc;
    });
  if (other) {
    InFlightDiagnostic error = emitOpError("is the second prof.buffer_alloc of a kernel");
    error.attachNote(other.getLoc()) << "the first prof.buffer_alloc is here";
    return error;
  }
  return success();
}

static LogicalResult verifyBuffer(Operation *op, Value buffer) {
  if (buffer.getDefiningOp<BufferAllocOp>())
    return success();
  return op->emitOpError("needs the buffer of a prof.buffer_alloc");
}

LogicalResult InitOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer())))
    return failure();
  if (getBuffer().getParentBlock() != (*this)->getBlock())
    return emitOpError("is in another IR block than its prof.buffer_alloc");
  return success();
}

LogicalResult FinalizeOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer())))
    return failure();
  for (Operation *around = (*this)->getParentOp(); around; around = around->getParentOp()) {
    if (isa<hk::StageOp>(around))
      return emitOpError("cannot be in a stage of a warp pipeline, whose groups of warps are at different stages");
    if (isa<LoopLikeOpInterface>(around))
      return emitOpError("cannot be in a loop");
    if (isa<hk::WorkerOp>(around))
      return emitOpError("cannot be in a worker, which may be started several times");
  }
  return success();
}

LogicalResult BufferDeallocOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer())))
    return failure();
  bool isFinalized = false;
  for (Operation *user : getBuffer().getUsers()) {
    if (user->getBlock() != (*this)->getBlock() || user == getOperation())
      continue;
    if ((*this)->isBeforeInBlock(user))
      return user->emitOpError("uses the buffer after its prof.buffer_dealloc");
    isFinalized |= isa<FinalizeOp>(user);
  }
  return isFinalized ? success() : emitOpError("needs a prof.finalize of the buffer before it");
}

} // namespace hocket::prof
