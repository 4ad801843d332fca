//===- MatrixIndices.cpp - Matrix elements that each lane holds ----------------------------===//
#include "emulator/machine/MatrixIndices.h"
#include "layout/WarpSizes.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace hocket::emulator {

using host_abi::MatrixOperation;

static constexpr unsigned kLanes = kAmdWaveSize;

ElementIndices::ElementIndices(std::vector<uint16_t> numbers, size_t lanes) : of(std::move(numbers)) {
  constexpr size_t kFour = 4;
  size_t perLane = of.size() / lanes;
  if (perLane % kFour != 0 || lanes % kFour != 0)
    return;
  auto step = uint16_t(of[1] - of[0]);
  bool isAlong = step == 1, isAcross = true;
  for (size_t i = 0; i < of.size(); ++i) {
    size_t first = i - i % kFour, lane = i / perLane, firstLane = lane - lane % kFour;
    if (of[i] != of[first] + (i - first) * step)
      return;
    isAcross &= of[i] == of[firstLane * perLane + i % perLane] + (lane - firstLane);
  }
  pattern = isAlong ? Pattern::Along : isAcross ? Pattern::Across : Pattern::Any;
  stride = step;
}

/// Returns the k coordinate of element `i` of a lane in lane group `group`, for operands with `perLane` elements in
/// each lane.
static unsigned depthOf(unsigned i, unsigned group, unsigned perLane, unsigned k, bool isHalved) {
  constexpr unsigned kHalf = 16;
  return isHalved ? i % kHalf + kHalf * group + k / 2 * (i / kHalf) : perLane * group + i;
}

static std::vector<uint16_t> indicesOfA(const MatrixOperation &operation, bool isHalved) {
  std::vector<uint16_t> indices;
  unsigned m = operation.m, k = operation.k, blocks = operation.blocks, perLane = m * k * blocks / kLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < perLane; ++i) {
      unsigned row = lane % m, block = lane / m % blocks;
      indices.push_back(uint16_t((block * m + row) * k + depthOf(i, lane / (m * blocks), perLane, k, isHalved)));
    }
  return indices;
}

static std::vector<uint16_t> indicesOfB(const MatrixOperation &operation, bool isHalved) {
  std::vector<uint16_t> indices;
  unsigned n = operation.n, k = operation.k, blocks = operation.blocks, perLane = n * k * blocks / kLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < perLane; ++i) {
      unsigned column = lane % n, block = lane / n % blocks;
      indices.push_back(uint16_t((block * k + depthOf(i, lane / (n * blocks), perLane, k, isHalved)) * n + column));
    }
  return indices;
}

/// Returns the indices of the elements of C, lane by lane. A lane group of n lanes holds `height` rows in `height`
/// consecutive registers. If blocks are small, different lane groups hold different blocks. The next `height` registers
/// hold further rows of the same blocks. After the registers that hold all rows of these blocks, the next registers
/// hold other blocks.
static std::vector<uint16_t> indicesOfC(const MatrixOperation &operation) {
  std::vector<uint16_t> indices;
  unsigned m = operation.m, n = operation.n, height = operation.c == NumberFormat::F64 ? 1 : 4;
  unsigned blocksAcross = std::max(1u, kLanes / (m * n / height));
  unsigned groups = kLanes / blocksAcross / n; // number of lane groups that hold different rows of one block
  unsigned strips = m / (height * groups);     // number of sets of `height` registers per lane and block
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned r = 0; r < operation.resultsPerLane(); ++r) {
      unsigned row = r % height + height * (lane / n % groups + groups * (r / height % strips));
      unsigned block = r / (height * strips) * blocksAcross + lane / (n * groups);
      indices.push_back(uint16_t((block * m + row) * n + lane % n));
    }
  return indices;
}

// mma.sync ------------------------------------------------------------------------------------------------------------

/// Returns the number of elements of A or B in a register of 4 bytes.
static unsigned elementsPerWord(const MatrixOperation &operation) { return operation.k / 8u; }

static std::vector<uint16_t> indicesOfMmaA(const MatrixOperation &operation) {
  std::vector<uint16_t> indices;
  unsigned k = operation.k, e = elementsPerWord(operation);
  for (unsigned lane = 0; lane < operation.lanes; ++lane)
    for (unsigned word = 0; word < 4; ++word)
      for (unsigned i = 0; i < e; ++i)
        indices.push_back(uint16_t((lane / 4 + 8 * (word % 2)) * k + e * (lane % 4) + i + 4 * e * (word / 2)));
  return indices;
}

static std::vector<uint16_t> indicesOfMmaB(const MatrixOperation &operation) {
  std::vector<uint16_t> indices;
  unsigned n = operation.n, e = elementsPerWord(operation);
  for (unsigned lane = 0; lane < operation.lanes; ++lane)
    for (unsigned word = 0; word < 2; ++word)
      for (unsigned i = 0; i < e; ++i)
        indices.push_back(uint16_t((e * (lane % 4) + i + 4 * e * word) * n + lane / 4));
  return indices;
}

static std::vector<uint16_t> indicesOfMmaC(const MatrixOperation &operation) {
  std::vector<uint16_t> indices;
  for (unsigned lane = 0; lane < operation.lanes; ++lane)
    for (unsigned r = 0; r < 4; ++r)
      indices.push_back(uint16_t((lane / 4 + 8 * (r / 2)) * operation.n + 2 * (lane % 4) + r % 2));
  return indices;
}

static MatrixIndices computeIndices(const MatrixOperation &operation) {
  auto of = [&](std::vector<uint16_t> indices) { return ElementIndices(std::move(indices), operation.lanes); };
  if (operation.lanes != kLanes)
    return {.a = of(indicesOfMmaA(operation)),
            .b = of(indicesOfMmaB(operation)),
            .halvedA = {},
            .halvedB = {},
            .c = of(indicesOfMmaC(operation))};
  return {.a = of(indicesOfA(operation, false)),
          .b = of(indicesOfB(operation, false)),
          .halvedA = operation.isScaled ? of(indicesOfA(operation, true)) : ElementIndices(),
          .halvedB = operation.isScaled ? of(indicesOfB(operation, true)) : ElementIndices(),
          .c = of(indicesOfC(operation))};
}

const MatrixIndices &indicesOf(const MatrixOperation &operation) {
  struct Entry {
    std::once_flag computed;
    MatrixIndices indices;
  };
  static const auto entries = std::make_unique<Entry[]>(host_abi::matrixOperations().size());
  Entry &entry = entries[size_t(&operation - host_abi::matrixOperations().data())];
  std::call_once(entry.computed, [&] { entry.indices = computeIndices(operation); });
  return entry.indices;
}

} // namespace hocket::emulator
