//===- HkTypes.cpp - Types of the `hk` dialect: verification and text form --------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutChecks.h"
#include "layout/Factories.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "dialect/hk/ir/HkTypes.cpp.inc"

namespace hocket::hk {

void HkDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/hk/ir/HkTypes.cpp.inc"
      >();
}

Type withElementType(Type type, Type elementType) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(elementType);
  return elementType;
}

// Text form of the type:
//   memdesc<64x32xf16, #layout>              a whole buffer in shared memory
//   memdesc<64x32xf16, #layout, 128x32>      a view of a buffer of shape 128x32
//   memdesc<64x32xf16, #layout in #space>    a buffer in another memory space
Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type elementType;
  Attribute layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(layout))
    return {};
  MemorySpace space = SharedSpaceAttr::get(parser.getContext());
  if (succeeded(parser.parseOptionalKeyword("in")) && parser.parseAttribute(space))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return {};
  } else {
    allocShape = shape;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType, layout, allocShape,
                    space);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << ", " << getLayout();
  if (!isa<SharedSpaceAttr>(getSpace()))
    printer << " in " << Attribute(getSpace());
  if (getAllocShape() != getShape()) {
    printer << ", ";
    printer.printDimensionList(getAllocShape());
  }
  printer << '>';
}

/// True if `type` is a number that occupies whole bytes.
static bool isStorableNumber(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.isSignless() && integer.getWidth() % 8 == 0 : isa<FloatType>(type);
}

LogicalResult PointerType::verify(EmitError emitError, Type pointee) {
  if (pointee.isSignlessInteger(1))
    return emitError() << "a pointer cannot point to i1: a bool is one byte in memory, load it as i8";
  if (!isStorableNumber(pointee) && !isa<PointerType>(pointee))
    return emitError() << "a pointer must point to a signless integer of whole bytes, a float or a pointer, not to "
                       << pointee;
  return success();
}

/// Maximum number of elements of a buffer. The maximum exceeds the shared memory of any GPU by far, and is small enough
/// that sizes in bytes and paddings do not overflow.
static constexpr int64_t kMaxBufferElements = int64_t(1) << 31;

LogicalResult MemDescType::verify(EmitError emitError, ArrayRef<int64_t> shape, Type elementType, Attribute layout,
                                  ArrayRef<int64_t> allocShape, MemorySpace) {
  auto shared = dyn_cast_or_null<SharedLayout>(layout);
  if (!shared)
    return emitError() << "the layout of a memory descriptor must be a shared layout, but is " << layout;
  if (shared.getRank() > shape.size())
    return emitError() << "a memory descriptor of rank " << shape.size() << " cannot have a layout of rank "
                       << shared.getRank() << ": " << layout;
  if (shape.size() != allocShape.size())
    return emitError() << "shape [" << shape << "] and alloc_shape [" << allocShape << "] must have the same rank";
  for (auto [size, allocated] : llvm::zip_equal(shape, allocShape))
    if (size > allocated)
      return emitError() << "shape [" << shape << "] must fit in alloc_shape [" << allocShape << "]";
  size_t slotRank = shape.size() - shared.getRank();
  for (ArrayRef<int64_t> sizes : {shape, allocShape}) {
    if (llvm::any_of(sizes.take_front(slotRank), [](int64_t size) { return size < 1; }))
      return emitError() << "a ring of buffers needs at least 1 buffer, but the shape is [" << sizes << "]";
    for (int64_t size : sizes.drop_front(slotRank))
      if (size < 1 || !llvm::isPowerOf2_64(size))
        return emitError() << "sizes of the layout's dimensions must be powers of two, but the shape is [" << sizes
                           << "]";
  }
  if (failed(verifyProduct(emitError, "the sizes of a buffer", allocShape, kMaxBufferElements)))
    return failure();
  if (!isStorableNumber(elementType))
    return emitError() << "a memory descriptor holds signless integers of whole bytes or floats, not " << elementType;
  if (std::string whyNot = shared.whyNotTile(allocShape.drop_front(slotRank), elementType); !whyNot.empty())
    return emitError() << whyNot;
  return success();
}

unsigned MemDescType::getSlotRank() const { return getShape().size() - cast<SharedLayout>(getLayout()).getRank(); }

/// Returns the number of elements of one slot of a ring buffer, in one CTA of a cluster.
static int64_t elementsOfSlot(MemDescType type) {
  return cast<SharedLayout>(type.getLayout()).toLinearLayout(type.getAllocTileShape()).getInDimSize(Dim::Offset);
}

int64_t MemDescType::getSlotStride() const {
  int64_t elements = elementsOfSlot(*this);
  auto paddings = cast<SharedLayout>(getLayout()).getPaddings();
  // The padding after the last element is part of the stride, so that every slot of a ring buffer has the alignment of
  // the first slot.
  return paddedOffset(elements, paddings);
}

int64_t MemDescType::getAllocBytes() const {
  int64_t slots = ShapedType::getNumElements(getAllocShape().take_front(getSlotRank()));
  int64_t lastSlot = paddedSize(elementsOfSlot(*this), cast<SharedLayout>(getLayout()).getPaddings());
  return ((slots - 1) * getSlotStride() + lastSlot) * (getElementType().getIntOrFloatBitWidth() / 8);
}

ShapedType MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  if (!shape)
    return get(getShape(), elementType, getLayout(), getAllocShape(), getSpace());
  return get(*shape, elementType, getLayout(), *shape, getSpace());
}

} // namespace hocket::hk
