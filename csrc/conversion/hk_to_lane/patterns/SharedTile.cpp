//===- SharedTile.cpp - One lane's accesses to a tile of shared memory -------------===//
#include "conversion/hk_to_lane/patterns/SharedTile.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "layout/Factories.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

/// Returns the type of an element in memory.
static Type memoryTypeOf(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isInteger(1))
    return IntegerType::get(context, 8);
  if (isa<LLVM::LLVMPointerType>(elementType))
    return IntegerType::get(context, 64);
  return elementType;
}

static Value toMemory(OpBuilder &builder, Location loc, Value value, Type memoryType) {
  if (value.getType() == memoryType)
    return value;
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, memoryType, value);
  return LLVM::ZExtOp::create(builder, loc, memoryType, value);
}

static Value fromMemory(OpBuilder &builder, Location loc, Value value, Type elementType) {
  if (value.getType() == elementType)
    return value;
  if (isa<LLVM::LLVMPointerType>(elementType))
    return LLVM::IntToPtrOp::create(builder, loc, elementType, value);
  return LLVM::TruncOp::create(builder, loc, elementType, value);
}

ViewStart emitViewStart(OpBuilder &builder, Location loc, hk::MemDescType type, ValueRange coordinates,
                        const LinearLayout &toOffset) {
  ViewStart start;
  start.bits = hk::startBits(type, toOffset);
  if (!start.bits)
    return start;
  Coords constants;
  SmallVector<std::pair<Dim, Value>> inputs;
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    inputs.push_back({tensorDim(dim), coordinate});
    IntegerAttr constant;
    if (matchPattern(coordinate, m_Constant(&constant)))
      constants.push_back({tensorDim(dim), int32_t(constant.getInt())});
  }
  if (constants.size() == coordinates.size()) {
    start.constant = toOffset.apply(constants)[Dim::Offset];
    return start;
  }
  start.offset = applyLayout(builder, loc, toOffset, inputs).front();
  return start;
}

static bool dependsOnBlock(const LinearLayout &toOffset) {
  for (unsigned bit = 0; bit < toOffset.getInDimSizeLog2(Dim::Block); ++bit)
    if (toOffset.getBasis(Dim::Block, bit, Dim::Offset))
      return true;
  return false;
}

SharedTile::SharedTile(LoweringContext &lowering, OpBuilder &builder, Location loc, Value base,
                       const LinearLayout &toOffset, Type elementType, ArrayRef<std::pair<int64_t, int64_t>> paddings,
                       ViewStart start)
    : SharedTile({lowering.laneId(builder, loc), lowering.warpId(builder, loc),
                  dependsOnBlock(toOffset) ? lowering.blockRank(builder, loc) : Value()},
                 builder, loc, base, toOffset, elementType, paddings, start) {}

SharedTile::SharedTile(LoweringContext &lowering, OpBuilder &builder, Location loc, Value base,
                       const LinearLayout &toOffset, Type elementType, unsigned partBits,
                       ArrayRef<std::pair<int64_t, int64_t>> paddings, ViewStart start)
    : builder(builder), loc(loc), base(base), toOffset(toOffset), elementType(elementType),
      memoryType(memoryTypeOf(elementType)), elementBytes(memoryType.getIntOrFloatBitWidth() / 8), paddings(paddings),
      cluster(&lowering), partBits(partBits) {
  laneOffset = applyLayout(builder, loc, toOffset,
                           {{Dim::Lane, lowering.laneId(builder, loc)},
                            {Dim::Warp, lowering.warpId(builder, loc)},
                            {Dim::Block, lowering.blockRank(builder, loc)}})
                   .front();
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = 0; bit < toOffset.getInDimSizeLog2(dim); ++bit)
      laneBits |= toOffset.getBasis(dim, bit, Dim::Offset);
  // The offset bits above `partBits` are the index of the CTA. These bits must be XORed, because the immediate offset
  // of an access cannot change the CTA.
  laneBits |= (int32_t(1) << toOffset.getOutDimSizeLog2(Dim::Offset)) - (int32_t(1) << partBits);
  addStart(start);
}

Value SharedTile::rankOf(Value elements) {
  return LLVM::LShrOp::create(builder, loc, elements, i32Constant(builder, loc, partBits));
}

Value SharedTile::baseAt(Value elements) {
  return cluster ? cluster->targetLowering.sharedOfBlock(builder, loc, base, rankOf(elements)) : base;
}

Value SharedTile::blockAt(int32_t offset) {
  return rankOf(xorConstant(builder, loc, laneOffset, laneBits, offset & laneBits));
}

void SharedTile::addStart(ViewStart start) {
  if (start.offset) {
    laneOffset = laneBits ? LLVM::XOrOp::create(builder, loc, laneOffset, start.offset) : start.offset;
    laneBits |= start.bits;
  } else if (start.constant) {
    laneOffset = xorConstant(builder, loc, laneOffset, laneBits, start.constant);
    laneBits |= start.constant;
  }
}

SharedTile::SharedTile(Accessor accessor, OpBuilder &builder, Location loc, Value base, const LinearLayout &toOffset,
                       Type elementType, ArrayRef<std::pair<int64_t, int64_t>> paddings, ViewStart start)
    : builder(builder), loc(loc), base(base), toOffset(toOffset), elementType(elementType),
      memoryType(memoryTypeOf(elementType)), elementBytes(memoryType.getIntOrFloatBitWidth() / 8), paddings(paddings) {
  SmallVector<std::pair<Dim, Value>> inputs;
  if (accessor.lane)
    inputs.push_back({Dim::Lane, accessor.lane});
  inputs.push_back({Dim::Warp, accessor.warp});
  if (accessor.block)
    inputs.push_back({Dim::Block, accessor.block});
  laneOffset = applyLayout(builder, loc, toOffset, inputs).front();
  for (auto [dim, index] : inputs)
    for (unsigned bit = 0; bit < toOffset.getInDimSizeLog2(dim); ++bit)
      laneBits |= toOffset.getBasis(dim, bit, Dim::Offset);
  addStart(start);
}

Value SharedTile::address(int32_t offset) {
  auto advance = [&](Value pointer, LLVM::GEPArg bytes) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
  };
  int32_t xored = offset & laneBits, added = offset & ~laneBits;
  Value &start = addresses[xored];
  if (!start) {
    start = base;
    if (laneBits) {
      Value elements = xorConstant(builder, loc, laneOffset, laneBits, xored);
      Value memory = baseAt(elements);
      if (cluster)
        elements = LLVM::AndOp::create(builder, loc, elements, i32Constant(builder, loc, (int32_t(1) << partBits) - 1));
      Value padded = elements;
      for (auto [interval, padding] : paddings) {
        Value count = LLVM::LShrOp::create(builder, loc, elements, i32Constant(builder, loc, log2Exact(interval)));
        Value extra = LLVM::ShlOp::create(builder, loc, count, i32Constant(builder, loc, log2Exact(padding)));
        padded = LLVM::AddOp::create(builder, loc, padded, extra, LLVM::IntegerOverflowFlags::nuw);
      }
      Value bytes = padded;
      if (elementBytes > 1)
        bytes = LLVM::ShlOp::create(builder, loc, padded, i32Constant(builder, loc, log2Exact(elementBytes)));
      start = advance(memory, bytes);
    }
  }
  if (!added)
    return start;
  return advance(start, static_cast<int32_t>(paddedOffset(added, paddings) * elementBytes));
}

Value SharedTile::packed(ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return toMemory(builder, loc, elements.front(), memoryType);
  Value vector = LLVM::PoisonOp::create(builder, loc, VectorType::get(elements.size(), memoryType));
  for (auto [index, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, toMemory(builder, loc, element, memoryType),
                                           i32Constant(builder, loc, index));
  return vector;
}

void SharedTile::store(int32_t offset, ArrayRef<Value> elements) {
  LLVM::StoreOp::create(builder, loc, packed(elements), address(offset),
                        /*alignment=*/elements.size() * elementBytes);
}

SmallVector<Value> SharedTile::load(int32_t offset, unsigned width) {
  Value pointer = address(offset);
  Type type = width == 1 ? memoryType : VectorType::get(width, memoryType);
  Value loaded = LLVM::LoadOp::create(builder, loc, type, pointer, /*alignment=*/width * elementBytes);
  if (width == 1)
    return {fromMemory(builder, loc, loaded, elementType)};
  SmallVector<Value> elements;
  for (unsigned index = 0; index < width; ++index) {
    Value element = LLVM::ExtractElementOp::create(builder, loc, loaded, i32Constant(builder, loc, index));
    elements.push_back(fromMemory(builder, loc, element, elementType));
  }
  return elements;
}

void SharedTile::storeAll(const VectorAccess &access, ArrayRef<Value> registers, int32_t addedOffset) {
  for (const std::vector<int32_t> &group : access.groups)
    store(registerOffset(group.front()) ^ addedOffset,
          llvm::map_to_vector(group, [&](int32_t reg) { return registers[reg]; }));
}

SmallVector<Value> SharedTile::loadAll(const VectorAccess &access, int32_t addedOffset) {
  SmallVector<Value> registers(access.representative.size());
  for (const std::vector<int32_t> &group : access.groups)
    for (auto [reg, value] : llvm::zip_equal(group, load(registerOffset(group.front()) + addedOffset, group.size())))
      registers[reg] = value;
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    registers[reg] = registers[access.representative[reg]];
  return registers;
}

} // namespace hocket
