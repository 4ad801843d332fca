//===- TensorBoxes.cpp - Addresses of the elements of a TMA box ---------------------===//
#include "emulator/machine/TensorBoxes.h"

#include <algorithm>

namespace hocket::emulator {

static uint64_t numRows(const TensorMap &map) {
  uint64_t rows = 1;
  for (unsigned i = 1; i < map.rank; ++i)
    rows *= map.box[i];
  return rows;
}

uint64_t bytesOf(const TensorMap &map) { return numRows(map) * map.box[0] * map.elementBytes; }

/// Returns the offset in shared memory at which the swizzle stores the byte whose offset without swizzle is `offset`.
static uint64_t swizzled(const TensorMap &map, uint64_t offset) {
  uint64_t pieces = map.swizzleBytes / kTmaUnitBytes; // number of chunks: 0, 2, 4 or 8
  return pieces ? offset ^ ((offset >> 7 & (pieces - 1)) << 4) : offset;
}

namespace {

/// A row of a box. `address` is the address of the first element of the row, computed as if the element were inside the
/// tensor.
struct BoxRow {
  uint64_t address = 0;
  int64_t first = 0, end = 0; ///< range of elements inside the tensor; empty if `first` equals `end`
};

} // namespace

/// Returns the row of a box that begins at the coordinates `origin`, which may be outside of the tensor.
static BoxRow rowAt(const TensorMap &map, const std::array<int64_t, TensorMap::kMaxRank> &origin, RowEnd end) {
  int64_t offset = origin[0] * map.elementBytes;
  bool isInside = true;
  for (unsigned i = 1; i < map.rank; ++i) {
    isInside &= origin[i] >= 0 && origin[i] < int64_t(map.sizes[i]);
    offset += origin[i] * int64_t(map.strideBytes[i]);
  }
  BoxRow row = {.address = map.address + uint64_t(offset)};
  if (isInside) {
    row.first = std::clamp<int64_t>(-origin[0], 0, map.box[0]);
    row.end = std::clamp<int64_t>(int64_t(map.sizes[0]) - origin[0], row.first, map.box[0]);
    const int64_t piece = kTmaUnitBytes / map.elementBytes;
    if (end == RowEnd::Piece && row.end > row.first) // a box begins at a chunk boundary
      row.end = std::min<int64_t>((row.end + piece - 1) / piece * piece, map.box[0]);
  }
  return row;
}

/// Advances the coordinates `row` to the next row of the box whose first row is at the coordinates `first`.
static void stepInTile(const TensorMap &map, const BoxOrigin &first, std::array<int64_t, TensorMap::kMaxRank> &row) {
  for (unsigned i = 1; i < map.rank; ++i) {
    if (++row[i] < first.coordinates[i] + int64_t(map.box[i]))
      return;
    row[i] = first.coordinates[i];
  }
}

/// Advances `pixel` to the next pixel of an im2col box. The first pixel of the box in the next image follows the last
/// pixel of the box.
static void stepOverPixels(const TensorMap &map, std::array<int64_t, TensorMap::kMaxRank> &pixel) {
  for (unsigned i = 0; i < map.spatialRank(); ++i) {
    pixel[i + 1] += map.steps[i];
    if (pixel[i + 1] <= map.lastPixel(i))
      return;
    pixel[i + 1] = map.lowerCorner[i];
  }
  ++pixel[map.rank - 1u];
}

/// Calls `visit(index, row)` for each row of the box.
static void visitRows(const TensorMap &map, const BoxOrigin &origin, RowEnd end,
                      llvm::function_ref<void(uint64_t, const BoxRow &)> visit) {
  std::array<int64_t, TensorMap::kMaxRank> current = origin.coordinates;
  for (uint64_t number = 0, rows = numRows(map); number < rows; ++number) {
    if (map.isIm2col) {
      auto tap = current;
      for (unsigned i = 0; i < map.spatialRank(); ++i)
        tap[i + 1] += origin.offsets[i];
      visit(number, rowAt(map, tap, end));
      stepOverPixels(map, current);
    } else {
      visit(number, rowAt(map, current, end));
      stepInTile(map, origin, current);
    }
  }
}

int64_t mostOffset(const TensorMap &map) {
  constexpr int64_t kMost[TensorMap::kMaxSpatial] = {(1 << 16) - 1, (1 << 8) - 1, (1 << 5) - 1};
  return kMost[map.spatialRank() - 1];
}

void forEachPart(const TensorMap &map, const BoxOrigin &origin, uint64_t offset, RowEnd rowEnd,
                 llvm::function_ref<void(const BoxPart &)> visit) {
  const int64_t rowBytes = int64_t(map.box[0]) * map.elementBytes;
  visitRows(map, origin, rowEnd, [&](uint64_t number, const BoxRow &row) {
    const int64_t first = row.first * map.elementBytes, end = row.end * map.elementBytes;
    for (int64_t begin = 0; begin < rowBytes;) {
      int64_t next = std::min<int64_t>(begin / kTmaUnitBytes * kTmaUnitBytes + kTmaUnitBytes, rowBytes);
      for (int64_t edge : {first, end})
        if (begin < edge)
          next = std::min(next, edge);
      bool isInside = begin >= first && begin < end;
      visit({swizzled(map, offset + number * uint64_t(rowBytes) + uint64_t(begin)),
             isInside ? row.address + uint64_t(begin) : 0, uint32_t(next - begin)});
      begin = next;
    }
  });
}

void forEachRow(const TensorMap &map, const BoxOrigin &origin, RowEnd end,
                llvm::function_ref<void(const TensorRow &)> visit) {
  visitRows(map, origin, end, [&](uint64_t, const BoxRow &row) {
    if (row.first < row.end)
      visit({row.address + uint64_t(row.first) * map.elementBytes, uint64_t(row.end - row.first) * map.elementBytes});
  });
}

} // namespace hocket::emulator
