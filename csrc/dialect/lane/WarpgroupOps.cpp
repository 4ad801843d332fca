//===- WarpgroupOps.cpp - Operations of WarpgroupOps.td: verification -------------===//
#include "dialect/lane/LaneDialect.h"
#include "target/WgmmaInstructions.h"

using namespace mlir;

namespace hocket::lane {

LogicalResult WgmmaOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                        DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                        SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::append_range(types, adaptor.getAcc().getTypes());
  return success();
}

LogicalResult WgmmaOp::verify() {
  std::optional<WgmmaInstruction> known = findWgmma(getInstruction());
  if (!known)
    return emitOpError() << "names no instruction: " << getInstruction();
  bool isFloat = known->sum == NumberFormat::F32;
  Type needed = isFloat ? Type(Float32Type::get(getContext())) : IntegerType::get(getContext(), 32);
  if (int64_t(getAcc().size()) != known->accumulators() ||
      !llvm::all_of(getAcc().getTypes(), [&](Type type) { return type == needed; }))
    return emitOpError() << "has " << known->accumulators() << " accumulators of " << needed;
  bool isShared = getA().size() == 1 && getA().front().getType().isInteger(64);
  bool isInRegisters =
      getA().size() == kWgmmaWordsOfA && llvm::all_of(getA().getTypes(), [](Type type) { return type.isInteger(32); });
  if (!isShared && !isInRegisters)
    return emitOpError() << "takes operand a as one i64 or as " << kWgmmaWordsOfA << " i32";
  bool canTranspose = canTransposeWgmma(known->a);
  if ((getTransposedA() && (isInRegisters || !canTranspose)) || (getTransposedB() && !canTranspose))
    return emitOpError() << "transposes only 16-bit elements in shared memory";
  return success();
}

LogicalResult WgmmaFenceOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                             DictionaryAttr, OpaqueProperties, RegionRange,
                                             SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult WgmmaWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                            OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

} // namespace hocket::lane
