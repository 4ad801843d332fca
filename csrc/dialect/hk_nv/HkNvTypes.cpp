//===- HkNvTypes.cpp - Types of the `hk_nv` dialect: verification and text form ----===//
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "target/TmaLimits.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "dialect/hk_nv/HkNvTypes.cpp.inc"

namespace hocket::hk_nv {

void HkNvDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/hk_nv/HkNvTypes.cpp.inc"
      >();
}

/// Limits of one TMA instruction: maximum number of elements along each dimension, and maximum number of pixels.
static constexpr int64_t kMostBoxSize = 256, kMostPixels = 1024;

// Text form of the type: tensor_desc<64x64xf16, #layout>, or tensor_desc<64x64xf16, #layout, im2col = 4>.
Type TensorDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  MmaSharedAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(layout))
    return {};
  unsigned im2col = 0;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("im2col") || parser.parseEqual() || parser.parseInteger(im2col)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType, layout, im2col);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getBlockShape())
    printer << size << 'x';
  printer << getElementType() << ", " << getLayout();
  if (isIm2col())
    printer << ", im2col = " << getIm2col();
  printer << '>';
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> blockShape,
                                     Type elementType, MmaSharedAttr layout, unsigned im2col) {
  if (layout.getTransposed())
    return emitError() << "TMA writes rows of the tensor as rows of the tile: the layout of a tensor descriptor cannot "
                          "be transposed";
  if (layout.getRank() != blockShape.size())
    return emitError() << "a block of rank " << blockShape.size() << " cannot have a layout of rank "
                       << layout.getRank();
  if (im2col != 0 && (im2col < 3 || im2col > 5))
    return emitError() << "an im2col descriptor is of a tensor with 3 to 5 dimensions, not " << im2col;
  if (im2col != 0 && blockShape.size() != 2)
    return emitError() << "a block of an im2col descriptor has two dimensions, pixels and channels, not "
                       << blockShape.size();
  std::vector<int64_t> part = partOfBlock(blockShape, layout.getBlock());
  if (im2col != 0 && ArrayRef(part) != blockShape)
    return emitError() << "a block of an im2col descriptor cannot be split among the blocks of a cluster";
  if (!llvm::all_of(part, [](int64_t size) { return size >= 1 && llvm::isPowerOf2_64(size); }))
    return emitError() << "sizes of a block must be powers of two, but it is [" << blockShape << "]";
  if (im2col != 0 && (part[0] > kMostPixels || part[1] > kMostBoxSize))
    return emitError() << "a block of an im2col descriptor has at most " << kMostPixels << " pixels and "
                       << kMostBoxSize << " channels, but it is [" << blockShape << "]";
  if (!elementType.isIntOrFloat())
    return emitError() << "a tensor descriptor is of numbers, not of " << elementType;
  int64_t rowBytes = part.back() * hk::storageBits(elementType) / 8;
  if (rowBytes % kTmaUnitBytes != 0)
    return emitError() << "rows of a block have a multiple of " << kTmaUnitBytes << " bytes, not " << rowBytes;
  return success();
}

SmallVector<int64_t> TensorDescType::getPartShape() const {
  return llvm::to_vector(partOfBlock(getBlockShape(), getLayout().getBlock()));
}

SmallVector<int64_t> TensorDescType::getBoxShape() const {
  SmallVector<int64_t> box = getPartShape();
  if (int64_t columns = getLayout().getSwizzle() * 8 / hk::storageBits(getElementType()))
    box.back() = columns;
  if (isIm2col())
    return box;
  // One instruction writes contiguous memory. If a dimension is split among several instructions, all outer dimensions
  // of the box therefore have size 1.
  bool isSplit = false;
  for (unsigned dim = getRank(); dim-- > 0;) {
    box[dim] = isSplit ? 1 : std::min(box[dim], kMostBoxSize);
    isSplit |= box[dim] < getPartShape()[dim] && !(hasColumnBlocks() && dim + 1 == getRank());
  }
  return box;
}

bool TensorDescType::hasColumnBlocks() const { return getLayout().getSwizzle() != 0; }

// Size and alignment of a CUtensorMap, in bytes.
int64_t TensorDescType::getPassedBytes() const { return 128; }
int64_t TensorDescType::getPassedAlignment() const { return 64; }

int64_t TensorDescType::getBlockBytes() const {
  return ShapedType::getNumElements(getPartShape()) * hk::storageBits(getElementType()) / 8;
}

} // namespace hocket::hk_nv
