//===- TypeConverter.cpp - Converts hk types to the types of a lane's registers -----===//
#include "conversion/hk_to_lane/passes/TypeConverter.h"
#include "dialect/hk/facts/HkStorageInterfaces.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/LinearLayout.h"

using namespace mlir;

namespace hocket {

LinearLayout tensorLayout(RankedTensorType type) { return hk::toLinearLayout(type); }

/// Returns the LLVM type of a scalar; null if LLVM has no such type.
static Type convertScalar(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<hk::PointerType>(type))
    return LLVM::LLVMPointerType::get(context, kGlobalAddressSpace);
  if (isa<IndexType>(type))
    return IntegerType::get(context, 64);
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() ? type : Type();
  if (auto number = dyn_cast<FloatType>(type))
    return number.getWidth() == 8 ? IntegerType::get(context, 8) : type;
  return Type();
}

HkTypeConverter::HkTypeConverter(MLIRContext *context) {
  addConversion([](Type type) -> std::optional<Type> {
    if (LLVM::isCompatibleType(type) && !isa<FloatType>(type))
      return type;
    if (Type converted = convertScalar(type))
      return converted;
    if (isa<hk::PassedInMemory>(type))
      return LLVM::LLVMPointerType::get(type.getContext());
    return std::nullopt;
  });
  addConversion([this](RankedTensorType type, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    if (!isa_and_present<hk::DistributedLayout>(type.getEncoding()))
      return failure();
    Type element = convertScalar(type.getElementType());
    if (!element)
      return failure();
    results.append(numRegisters(type), element);
    return success();
  });
  addConversion([](hk::MemDescType type, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    if (!isa<hk::SharedSpaceAttr>(type.getSpace()))
      return failure();
    MLIRContext *context = type.getContext();
    results.push_back(LLVM::LLVMPointerType::get(context, kSharedAddressSpace));
    results.append(cast<hk::SharedLayout>(type.getLayout()).getRank(), IntegerType::get(context, 32));
    return success();
  });
}

Type HkTypeConverter::elementType(Type type) const {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return convertScalar(tensor.getElementType());
  return convertScalar(type);
}

unsigned HkTypeConverter::numRegisters(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensorLayout(tensor).getInDimSize(Dim::Register) : 1;
}

} // namespace hocket
