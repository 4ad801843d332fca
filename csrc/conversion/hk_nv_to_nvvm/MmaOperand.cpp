//===- MmaOperand.cpp - Words of an MMA operand in registers --------------------------------===//
#include "conversion/hk_nv_to_nvvm/MmaOperand.h"

using namespace mlir;

namespace hocket {

SmallVector<Value> MmaOperand::words(OpBuilder &builder, Location loc, const MatrixTile &tile, unsigned step,
                                     int rows) {
  SmallVector<Value> words;
  for (unsigned half = 0; half < kWordsPerStep; ++half)
    for (int row = 0; row < rows; ++row) {
      Position position = tile.origin;
      position[own] += 8 * row;
      words.push_back(word(builder, loc, position, kWordsPerStep * step + half));
    }
  return words;
}

Value MmaOperand::word(OpBuilder &builder, Location loc, Position position, unsigned index) {
  position[alongK] = index;
  Value &value = packed[position];
  if (value)
    return value;
  SmallVector<Value> elements;
  for (int i = 0; i < elementsPerWord; ++i) {
    position[alongK] = depth[index * elementsPerWord + i];
    elements.push_back(registers[positions.at(position)]);
  }
  return value = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), packVector(builder, loc, elements));
}

} // namespace hocket
