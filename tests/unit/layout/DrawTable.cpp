//===- DrawTable.cpp - Layouts as text tables, for tests to compare ---------------===//
#include "DrawTable.h"

#include <algorithm>

namespace hocket {

static std::string nameOf(const LinearLayout &layout, const Coords &in) {
  if (layout.hasInDim(Dim::Offset))
    return std::to_string(in[Dim::Offset]);
  std::string name = std::to_string(in[Dim::Lane]) + ":" + std::to_string(in[Dim::Register]);
  return layout.getInDimSize(Dim::Warp) > 1 ? std::to_string(in[Dim::Warp]) + "." + name : name;
}

std::string drawTable(const LinearLayout &layout) {
  bool flat = layout.getOutDims().size() == 1;
  int32_t rows = flat ? 1 : layout.getOutDimSize(Dim::Dim0);
  int32_t columns = layout.getOutDimSize(flat ? Dim::Dim0 : Dim::Dim1);
  std::vector<std::string> cells(rows * columns);
  for (int64_t i = 0; i < layout.getTotalInDimSize(); ++i) {
    Coords out = layout.unflattenOut(layout.applyFlat(i));
    std::string &cell = cells[flat ? out[Dim::Dim0] : out[Dim::Dim0] * columns + out[Dim::Dim1]];
    cell += (cell.empty() ? "" : "|") + nameOf(layout, layout.unflattenIn(i));
  }
  size_t width = 0;
  for (const std::string &cell : cells)
    width = std::max(width, cell.size());
  std::string table = "\n";
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t column = 0; column < columns; ++column) {
      const std::string &cell = cells[row * columns + column];
      table += (column ? " " : "") + std::string(width - cell.size(), ' ') + cell;
    }
    table += "\n";
  }
  return table;
}

LinearLayout randomLayout(std::mt19937 &random, std::span<const DimBits> ins, std::span<const DimBits> outs) {
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  std::uniform_int_distribution<uint64_t> any(0, layout.getTotalOutDimSize() - 1);
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      layout.setBasis(in.dim, bit, layout.unflattenOut(any(random)));
  return layout;
}

LinearLayout randomSurjection(std::mt19937 &random, std::span<const DimBits> ins, std::span<const DimBits> outs) {
  LinearLayout layout;
  do
    layout = randomLayout(random, ins, outs);
  while (!layout.isSurjective());
  return layout;
}

} // namespace hocket
