// Types of the `hk` dialect: verification and text form.
#include "dialect/hk/HkDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "dialect/hk/HkTypes.cpp.inc"

namespace hocket::hk {

void HkDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/hk/HkTypes.cpp.inc"
      >();
}

Type withElementType(Type type, Type elementType) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(elementType);
  return elementType;
}

// memdesc<64x32xf16, #layout> or, for a view of a larger buffer, memdesc<64x32xf16, #layout, 128x32>.
Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type elementType;
  Attribute layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(layout))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return {};
  } else {
    allocShape = shape;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType, layout, allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << ", " << getLayout();
  if (getAllocShape() != getShape()) {
    printer << ", ";
    printer.printDimensionList(getAllocShape());
  }
  printer << '>';
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                  Type elementType, Attribute layout, ArrayRef<int64_t> allocShape) {
  return success();
}

ShapedType MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  if (!shape)
    return get(getShape(), elementType, getLayout(), getAllocShape());
  return get(*shape, elementType, getLayout(), *shape);
}

} // namespace hocket::hk
