//===- PerElementOps.cpp - Operations of PerElementOps.td: layouts, effects and verification -------===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket::hk {

/// Verifies constraint C1 of hk.map and hk.inline_asm, except the numbers of operands and results.
static LogicalResult verifySameShapes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (!haveSameShapeAndLayout(type, types.front()))
      return op->emitOpError() << "needs operands and results of one shape and layout, but has " << types.front()
                               << " and " << type;
  return success();
}

// Map -----------------------------------------------------------------------------------------------------------------

FailureOr<Attribute> MapOp::inferResultLayout(Attribute operandLayout, std::string *) { return operandLayout; }
FailureOr<Attribute> MapOp::inferOperandLayout(Attribute resultLayout, std::string *) { return resultLayout; }

LogicalResult MapOp::verify() {
  if (getSrcs().empty() || getResults().empty())
    return emitOpError() << "needs at least one operand and one result";
  if (failed(verifySameShapes(*this)))
    return failure();
  int64_t pack = getPack();
  auto type = cast<RankedTensorType>(getSrcs().front().getType());
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    return emitOpError() << "pack must be a power of two, but is " << pack;
  if (!isUndecided(type.getEncoding()) && pack > toLinearLayout(type).getInDimSize(Dim::Register))
    return emitOpError() << "takes " << pack << " elements of a lane together, but " << type << " gives it "
                         << toLinearLayout(type).getInDimSize(Dim::Register);
  return success();
}

LogicalResult MapOp::verifyRegions() {
  auto scalarsOf = [&](TypeRange types) {
    SmallVector<Type> scalars;
    for (Type type : types)
      scalars.append(getPack(), getElementTypeOrSelf(type));
    return scalars;
  };
  SmallVector<Type> given = scalarsOf(getSrcs().getTypes()), returned = scalarsOf(getResultTypes());
  if (!llvm::equal(getBody().getArgumentTypes(), given))
    return emitOpError() << "gives its region (" << given << "), but that takes (" << getBody().getArgumentTypes()
                         << ")";
  for (Block &block : getBody()) {
    if (block.getNumSuccessors() > 0)
      continue;
    auto end = dyn_cast<MapReturnOp>(block.getTerminator());
    if (!end)
      return emitOpError() << "must end its region with hk.map.return";
    if (!llvm::equal(end.getValues().getTypes(), returned))
      return emitOpError() << "must return (" << returned << ") from its region, but returns ("
                           << end.getValues().getTypes() << ")";
  }
  return verifyElementRegion(*this);
}

// Element regions -----------------------------------------------------------------------------------------------------

bool computesValues(Operation *op) {
  if (isa<InlineAsmOp, AssumeOp>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto declared = dyn_cast<MemoryEffectOpInterface>(op);
  if (!declared)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  declared.getEffects(effects);
  return llvm::all_of(
      effects, [](const MemoryEffects::EffectInstance &effect) { return effect.getResource() == Messages::get(); });
}

LogicalResult verifyElementRegion(Operation *op) {
  auto refuse = [&](Operation *inner, StringRef what) {
    inner->emitOpError() << what << ", but is in the region of '" << op->getName()
                         << "', which computes single elements";
    return WalkResult::interrupt();
  };
  auto isTile = llvm::IsaPred<ShapedType, MemDescType>;
  for (Region &region : op->getRegions()) {
    WalkResult result = region.walk([&](Operation *inner) {
      if (llvm::any_of(inner->getOperandTypes(), isTile) || llvm::any_of(inner->getResultTypes(), isTile))
        return refuse(inner, "works on tiles");
      if (!computesValues(inner))
        return refuse(inner, "accesses memory, waits or has other effects");
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

// Inline assembly -----------------------------------------------------------------------------------------------------

FailureOr<Attribute> InlineAsmOp::inferResultLayout(Attribute operandLayout, std::string *) { return operandLayout; }
FailureOr<Attribute> InlineAsmOp::inferOperandLayout(Attribute resultLayout, std::string *) { return resultLayout; }

void InlineAsmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult InlineAsmOp::verify() {
  if (getResults().empty())
    return emitOpError() << "needs at least one result";
  if (failed(verifySameShapes(*this)))
    return failure();
  int64_t pack = getPack();
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    return emitOpError() << "pack must be a power of two, but is " << pack;
  return success();
}

} // namespace hocket::hk
