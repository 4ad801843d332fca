//===- WarpWgmma.cpp - One warp's part of a wgmma --------------------------------------------===//
#include "emulator/block/WarpWgmma.h"

#include "emulator/host/HalfConversions.h"
#include "emulator/machine/MatrixArithmetic.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>
#include <cstring>

namespace hocket::emulator {

MatrixDescriptor WarpWgmma::descriptorOf(uint64_t bits) const {
  MatrixDescriptor descriptor = MatrixDescriptor::decode(bits);
  if (sharedOfBlock)
    descriptor.start = ownShared + descriptor.start % sharedOfBlock;
  return descriptor;
}

std::optional<DescribedOperand> WarpWgmma::operandA() const {
  if (what->isAInRegisters)
    return std::nullopt;
  return DescribedOperand{descriptorOf(a), what->isTransposedA != 0, NumberFormat(what->a), kRows * warpInGroup, kRows};
}

DescribedOperand WarpWgmma::operandB() const {
  return {descriptorOf(b), what->isTransposedB != 0, NumberFormat(what->b), 0, what->columns};
}

/// Returns the index in `sums` of element `index` of the lane's accumulators (layout/NvidiaMmaLayouts.h).
static size_t indexOf(unsigned lane, uint32_t index, uint32_t columns) {
  return (lane / 4 + 8 * (index / 2 % 2)) * columns + 8 * (index / 4) + 2 * (lane % 4) + index % 2;
}

void WarpWgmma::setWord(unsigned lane, uint32_t reg, uint32_t word) {
  if (!isPaired()) {
    sums[indexOf(lane, reg, what->columns)] = word;
    return;
  }
  for (uint32_t half : {0u, 1u})
    sums[indexOf(lane, 2 * reg + half, what->columns)] =
        std::bit_cast<uint32_t>(floatFromHalf(uint16_t(word >> 16 * half)));
}

uint32_t WarpWgmma::word(unsigned lane, uint32_t reg) const {
  if (!isPaired())
    return sums[indexOf(lane, reg, what->columns)];
  uint32_t word = 0;
  for (uint32_t half : {0u, 1u})
    word |= uint32_t(halfFromFloat(std::bit_cast<float>(sums[indexOf(lane, 2 * reg + half, what->columns)])))
            << 16 * half;
  return word;
}

/// Reads A from the registers of all lanes. The words of a lane are ordered by row first, then by half of K, as in
/// mma.sync.
template <typename Number>
static void readRegisters(const WarpWgmma &wgmma, Number *matrix) {
  auto element = NumberFormat(wgmma.what->a);
  uint32_t perWord = 32 / bitsOf(element), depth = 8 * perWord;
  for (unsigned lane = 0; lane < WarpWgmma::kLanes; ++lane)
    for (uint32_t word = 0; word < uint32_t(kWgmmaWordsOfA); ++word) {
      Number numbers[4];
      const uint32_t &bits = wgmma.wordsOfA[lane * uint32_t(kWgmmaWordsOfA) + word];
      decodeNumbers(element, reinterpret_cast<const std::byte *>(&bits), perWord, numbers);
      Number *to = matrix + (lane / 4 + 8 * (word % 2)) * depth + perWord * (lane % 4 + 4 * (word / 2));
      std::memcpy(to, numbers, perWord * sizeof(Number));
    }
}

template <typename Number>
static void computeAs(const WarpWgmma &wgmma, const std::byte *shared, Number *sums) {
  constexpr size_t kMaxDepth = 32;
  alignas(64) static thread_local Number a[WarpWgmma::kRows * kMaxDepth], b[kMaxDepth * kMostWgmmaColumns];
  DescribedOperand operandB = wgmma.operandB();
  uint32_t depth = operandB.depth(), columns = wgmma.what->columns;
  if (auto operandA = wgmma.operandA())
    readOperand(*operandA, shared, a, depth, 1);
  else
    readRegisters(wgmma, a);
  readOperand(operandB, shared, b, 1, columns);
  multiplyPlain({.name = {},
                 .m = WarpWgmma::kRows,
                 .n = uint16_t(columns),
                 .k = uint16_t(depth),
                 .blocks = 1,
                 .a = NumberFormat(wgmma.what->a),
                 .b = NumberFormat(wgmma.what->b),
                 .c = wgmma.sum(),
                 .onCdna3 = false,
                 .onCdna4 = false},
                a, b, sums);
}

void WarpWgmma::noteUndefinedA(unsigned lane, const uint32_t *shadows) {
  for (uint32_t word = 0; word < uint32_t(kWgmmaWordsOfA); ++word)
    if (shadows[word])
      undefinedRows |= 1u << (lane / 4 + 8 * (word % 2));
}

void WarpWgmma::noteUndefinedSum(unsigned lane, uint32_t reg, uint32_t shadow) {
  for (uint32_t i = 0; i < (isPaired() ? 2u : 1u); ++i)
    if (isPaired() ? shadow >> 16 * i & 0xffff : shadow)
      undefined[indexOf(lane, isPaired() ? 2 * reg + i : reg, what->columns)] = true;
}

uint32_t WarpWgmma::shadowWord(unsigned lane, uint32_t reg) const {
  auto isUndefined = [&](uint32_t index) { return undefined[indexOf(lane, index, what->columns)]; };
  if (!isPaired())
    return isUndefined(reg) ? ~0u : 0;
  return (isUndefined(2 * reg) ? 0xffffu : 0) | (isUndefined(2 * reg + 1) ? 0xffff0000u : 0);
}

void WarpWgmma::computeUndefined(const std::byte *shadows) {
  std::vector<bool> rows(kRows), columns(what->columns);
  for (uint32_t row = 0; row < kRows; ++row)
    rows[row] = undefinedRows >> row & 1;
  auto mark = [&](const DescribedOperand &operand, std::vector<bool> &marked) {
    operand.forEachPiece([&](uint32_t offset, uint32_t row, uint32_t) {
      uint32_t perRow = operand.isTransposed ? operand.elementBytes() : DescribedOperand::kPieceBytes;
      for (uint32_t byte = 0; byte < DescribedOperand::kPieceBytes; ++byte)
        if (shadows[offset + byte] != std::byte{0})
          marked[row - operand.firstRow + byte / perRow] = true;
    });
  };
  if (auto operand = operandA())
    mark(*operand, rows);
  mark(operandB(), columns);
  for (uint32_t row = 0; row < kRows; ++row)
    for (uint32_t column = 0; column < what->columns; ++column)
      if (rows[row] || columns[column])
        undefined[row * what->columns + column] = true;
}

void WarpWgmma::takeSummands() {
  for (const auto &[reg, summand] : llvm::enumerate(summands))
    for (unsigned lane = 0; summand.wgmma && lane < kLanes; ++lane) {
      setWord(lane, uint32_t(reg), summand.wgmma->word(lane, summand.reg));
      if (!undefined.empty())
        noteUndefinedSum(lane, uint32_t(reg), summand.wgmma->shadowWord(lane, summand.reg));
    }
  summands.clear();
}

void WarpWgmma::compute(const std::byte *shared, const std::byte *shadows) {
  takeSummands();
  if (!useAcc)
    std::fill(sums.begin(), sums.end(), 0);
  if (!undefined.empty())
    computeUndefined(shadows);
  if (sum() == NumberFormat::I32) {
    computeAs(*this, shared, sums.data());
  } else {
    static_assert(sizeof(float) == sizeof(uint32_t));
    static thread_local std::vector<float> numbers;
    numbers.resize(sums.size());
    std::memcpy(numbers.data(), sums.data(), sums.size() * sizeof(float));
    computeAs(*this, shared, numbers.data());
    if (isPaired())
      for (float &number : numbers)
        number = floatFromHalf(halfFromFloat(number));
    std::memcpy(sums.data(), numbers.data(), sums.size() * sizeof(float));
  }
  isComputed = true;
}

} // namespace hocket::emulator
