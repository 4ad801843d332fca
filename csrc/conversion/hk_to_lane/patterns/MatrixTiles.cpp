//===- MatrixTiles.cpp - Registers of the operands and results of matrix instructions -------===//
#include "conversion/hk_to_lane/patterns/MatrixTiles.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket {

static Position positionOf(const LinearLayout &layout, int32_t reg) {
  Coords coords = layout.apply({{Dim::Register, reg}});
  Position position;
  for (unsigned dim = 0; dim < layout.getOutDims().size(); ++dim)
    position.push_back(coords[tensorDim(dim)]);
  return position;
}

RegistersByPosition::RegistersByPosition(RankedTensorType type) : shape(type.getShape()) {
  LinearLayout layout = hk::toLinearLayout(type);
  for (int32_t reg = 0; reg < layout.getInDimSize(Dim::Register); ++reg) {
    positions.push_back(positionOf(layout, reg));
    registers.try_emplace(positions.back(), reg);
  }
}

unsigned RegistersByPosition::at(const Position &position) const {
  Position wrapped = position;
  for (auto [coordinate, size] : llvm::zip_equal(wrapped, shape))
    coordinate %= size;
  return registers.at(wrapped);
}

SmallVector<int32_t> RegistersByPosition::along(unsigned dim) const {
  SmallVector<int32_t> coordinates =
      llvm::map_to_vector(positions, [&](const Position &position) { return position[dim]; });
  llvm::sort(coordinates);
  coordinates.erase(llvm::unique(coordinates), coordinates.end());
  return coordinates;
}

SmallVector<MatrixTile> matrixTilesOf(RankedTensorType acc, const LinearLayout &result) {
  RegistersByPosition registers(acc);
  unsigned row = acc.getRank() - 2, column = acc.getRank() - 1;
  int32_t rows = result.getOutDimSize(tensorDim(0)), columns = result.getOutDimSize(tensorDim(1));

  SmallVector<MatrixTile> tiles;
  std::map<Position, unsigned> known;
  for (Position origin : registers.inOrder()) {
    origin[row] &= ~(rows - 1);
    origin[column] &= ~(columns - 1);
    if (!known.try_emplace(origin, tiles.size()).second)
      continue;
    MatrixTile &tile = tiles.emplace_back(MatrixTile{origin, {}});
    for (int32_t reg = 0; reg < result.getInDimSize(Dim::Register); ++reg) {
      Position within = positionOf(result, reg), position = origin;
      position[row] += within[0];
      position[column] += within[1];
      tile.registers.push_back(registers.at(position));
    }
  }
  return tiles;
}

MatrixOperand::MatrixOperand(RankedTensorType type, unsigned opIdx, ValueRange registers, unsigned elementsPerStep,
                             Pack pack)
    : positions(type), registers(registers), elementsPerStep(elementsPerStep),
      kDim(type.getRank() - (opIdx == 0 ? 1 : 2)), pack(std::move(pack)), depth(positions.along(kDim)) {}

Value MatrixOperand::get(OpBuilder &builder, Location loc, const MatrixTile &tile, unsigned step) {
  Position position = tile.origin;
  position[kDim] = step;
  Value &value = packed[position];
  if (value)
    return value;
  SmallVector<Value> elements;
  for (unsigned i = 0; i < elementsPerStep; ++i) {
    position[kDim] = depth[step * elementsPerStep + i];
    elements.push_back(registers[positions.at(position)]);
  }
  return value = pack(builder, loc, elements);
}

/// Returns a vector of `elements` by one shuffle of the vectors from which the elements were extracted. Returns null
/// unless the elements come from one vector, or from two vectors of the same type. If the elements were inserted one by
/// one, most operations of a kernel would be insertions.
static Value joinExtracts(OpBuilder &builder, Location loc, ValueRange elements) {
  SmallVector<Value, 2> sources;
  SmallVector<int32_t> positions;
  for (Value element : elements) {
    auto extract = element.getDefiningOp<LLVM::ExtractElementOp>();
    IntegerAttr position;
    if (!extract || !matchPattern(extract.getPosition(), m_Constant(&position)))
      return {};
    Value source = extract.getVector();
    size_t number = llvm::find(sources, source) - sources.begin();
    if (number == 2 || (number == 1 && source.getType() != sources[0].getType()))
      return {};
    if (number == sources.size())
      sources.push_back(source);
    positions.push_back(number * cast<VectorType>(source.getType()).getNumElements() + position.getInt());
  }
  if (sources[0].getType() == VectorType::get(elements.size(), elements.front().getType()) &&
      llvm::equal(positions, llvm::seq<int32_t>(0, positions.size())))
    return sources[0];
  return LLVM::ShuffleVectorOp::create(builder, loc, sources[0], sources.back(), positions);
}

Value packVector(OpBuilder &builder, Location loc, ValueRange elements) {
  if (elements.size() == 1)
    return elements.front();
  auto type = VectorType::get(elements.size(), elements.front().getType());
  if (Value whole = joinExtracts(builder, loc, elements))
    return whole;
  auto constant = elements.front().getDefiningOp<LLVM::ConstantOp>();
  if (constant && llvm::all_equal(elements))
    return LLVM::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, constant.getValue()));
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [index, element] : llvm::enumerate(elements)) {
    Value position = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), int64_t(index));
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element, position);
  }
  return vector;
}

SmallVector<Value> packAccumulators(OpBuilder &builder, Location loc, ArrayRef<MatrixTile> tiles,
                                    ValueRange registers) {
  return llvm::map_to_vector(tiles, [&](const MatrixTile &tile) {
    return packVector(builder, loc,
                      llvm::map_to_vector(tile.registers, [&](unsigned reg) -> Value { return registers[reg]; }));
  });
}

SmallVector<Value> unpackAccumulators(OpBuilder &builder, Location loc, ArrayRef<MatrixTile> tiles, ValueRange vectors,
                                      unsigned numRegisters) {
  SmallVector<Value> registers(numRegisters);
  for (auto [tile, vector] : llvm::zip_equal(tiles, vectors))
    for (auto [index, reg] : llvm::enumerate(tile.registers)) {
      if (registers[reg])
        continue;
      Value position = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), int64_t(index));
      registers[reg] = LLVM::ExtractElementOp::create(builder, loc, vector, position);
    }
  return registers;
}

} // namespace hocket
