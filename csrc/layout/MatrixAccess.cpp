//===- MatrixAccess.cpp - Plans for ldmatrix and stmatrix -------------------------===//
#include "layout/MatrixAccess.h"

#include "layout/F2Span.h"

#include <algorithm>

namespace hocket {

static constexpr unsigned kWarpBits = 5, kMostMatrixBits = 2;
/// The lowest kWordBits bits of a lane select a word of a row or, if transposed, a pair of rows.
/// The next kRowBits bits of a lane select a row or, if transposed, a column.
static constexpr unsigned kWordBits = 2, kRowBits = 3;

namespace {

/// The bits of a register index, grouped by their role in ldmatrix or stmatrix.
struct RegisterBits {
  std::vector<unsigned> word;   ///< register bits that select an element of a word, lowest bit first
  std::vector<unsigned> matrix; ///< register bits that select one of the matrices of an instruction
  std::vector<unsigned> rest;   ///< register bits that select the instruction
  std::vector<unsigned> copies; ///< register bits that do not change the element
};

} // namespace

static int32_t registerBasis(const LinearLayout &toOffset, unsigned bit) {
  return toOffset.getBasis(Dim::Register, bit, Dim::Offset);
}

/// True if the lowest offset bits, which select an element of a row, are the register bits `word`, followed by `count`
/// lane bits that begin at lane bit `lane`. No other input bit may change these offset bits.
static bool areRowsAligned(const LinearLayout &toOffset, const std::vector<unsigned> &word, unsigned lane,
                           unsigned count) {
  int32_t row = (int32_t(1) << (word.size() + count)) - 1;
  for (const DimBits &in : toOffset.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      int32_t offset = toOffset.getBasis(in.dim, bit, Dim::Offset);
      if (in.dim == Dim::Register && std::ranges::find(word, bit) != word.end())
        continue;
      bool isOfRow = in.dim == Dim::Lane && bit >= lane && bit < lane + count;
      if (isOfRow ? offset != int32_t(1) << (word.size() + bit - lane) : (offset & row) != 0)
        return false;
    }
  return true;
}

/// Assigns roles to the register bits that are not in `bits.word`. Returns false if the nonzero register bases are
/// dependent, so that registers hold copies that differ in several bits.
static bool sortRest(const LinearLayout &toOffset, RegisterBits &bits) {
  std::vector<uint64_t> used;
  for (unsigned bit = 0; bit < toOffset.getInDimSizeLog2(Dim::Register); ++bit) {
    int32_t offset = registerBasis(toOffset, bit);
    if (offset != 0)
      used.push_back(uint64_t(offset));
    if (std::ranges::find(bits.word, bit) != bits.word.end())
      continue;
    auto &kind = offset == 0 ? bits.copies : bits.matrix.size() < kMostMatrixBits ? bits.matrix : bits.rest;
    kind.push_back(bit);
  }
  return F2Span(used).rank() == used.size();
}

/// Returns the roles of the register bits for instructions without transposition; nullopt if such instructions cannot
/// access the layout. The elements of a word must be adjacent in memory.
static std::optional<RegisterBits> bitsAsTheyAre(const LinearLayout &toOffset, int32_t elementBits) {
  RegisterBits bits;
  for (int32_t step = 1; step * elementBits < 8 * kMatrixWordBytes; step *= 2) {
    unsigned bit = 0, count = toOffset.getInDimSizeLog2(Dim::Register);
    while (bit < count && registerBasis(toOffset, bit) != step)
      ++bit;
    if (bit == count)
      return std::nullopt;
    bits.word.push_back(bit);
  }
  bool fits = areRowsAligned(toOffset, bits.word, /*lane=*/0, kWordBits) && sortRest(toOffset, bits);
  // Instructions for a single matrix are not used, because they move one word per lane, like a plain access.
  return fits && !bits.matrix.empty() ? std::optional(bits) : std::nullopt;
}

/// Returns the roles of the register bits for transposed instructions; nullopt if such instructions cannot access the
/// layout. The two elements of a word are in two rows.
static std::optional<RegisterBits> bitsTransposed(const LinearLayout &toOffset, int32_t elementBits) {
  if (elementBits != 16 || !areRowsAligned(toOffset, {}, /*lane=*/kWordBits, kRowBits))
    return std::nullopt;
  RegisterBits bits;
  for (unsigned bit = 0; bits.word.empty() && bit < toOffset.getInDimSizeLog2(Dim::Register); ++bit)
    if (registerBasis(toOffset, bit) != 0)
      bits.word.push_back(bit);
  return !bits.word.empty() && sortRest(toOffset, bits) ? std::optional(bits) : std::nullopt;
}

static LinearLayout rowsOf(const LinearLayout &toOffset, const RegisterBits &bits, bool transposes) {
  std::vector<DimBits> ins(toOffset.getInDims().begin(), toOffset.getInDims().end());
  for (DimBits &in : ins)
    if (in.dim == Dim::Register)
      in.bits = uint8_t(bits.rest.size());
  LinearLayout rows = LinearLayout::zeros(ins, toOffset.getOutDims());
  auto take = [&](Dim dim, unsigned bit, Dim from, unsigned fromBit) {
    rows.setBasis(dim, bit, toOffset.getBasis(from, fromBit));
  };
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      if (in.dim == Dim::Register)
        take(in.dim, bit, in.dim, bits.rest[bit]);
      else if (in.dim != Dim::Lane)
        take(in.dim, bit, in.dim, bit);
    }
  for (unsigned bit = 0; bit < kRowBits; ++bit) {
    if (!transposes)
      take(Dim::Lane, bit, Dim::Lane, kWordBits + bit);
    else if (bit == 0)
      take(Dim::Lane, bit, Dim::Register, bits.word.front());
    else
      take(Dim::Lane, bit, Dim::Lane, bit - 1);
  }
  for (unsigned bit = 0; bit < bits.matrix.size(); ++bit)
    take(Dim::Lane, kRowBits + bit, Dim::Register, bits.matrix[bit]);
  return rows;
}

/// Returns the index in which bit positions[i] is bit i of `value` and all other bits are 0.
static int32_t spread(const std::vector<unsigned> &positions, int32_t value) {
  int32_t number = 0;
  for (unsigned i = 0; i < positions.size(); ++i)
    number |= (value >> i & 1) << positions[i];
  return number;
}

std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &toOffset, int32_t elementBits,
                                             std::span<const Padding> paddings, int32_t startBits) {
  bool isKnown = elementBits == 8 || elementBits == 16 || elementBits == 32;
  if (!isKnown || toOffset.getInDimSizeLog2(Dim::Lane) != kWarpBits ||
      widestVector(8 * kMatrixRowBytes, elementBits, paddings, startBits) * elementBits < 8 * kMatrixRowBytes)
    return std::nullopt;
  std::optional<RegisterBits> bits = bitsAsTheyAre(toOffset, elementBits);
  bool transposes = !bits;
  if (!bits)
    bits = bitsTransposed(toOffset, elementBits);
  if (!bits)
    return std::nullopt;

  MatrixAccess access{transposes, 1 << bits->matrix.size(), rowsOf(toOffset, *bits, transposes), {}, {}};
  for (int32_t instruction = 0; instruction < 1 << bits->rest.size(); ++instruction) {
    auto &matrices = access.words.emplace_back();
    for (int32_t matrix = 0; matrix < access.matrices; ++matrix) {
      std::vector<int32_t> &word = matrices.emplace_back();
      for (int32_t element = 0; element < 1 << bits->word.size(); ++element)
        word.push_back(spread(bits->rest, instruction) | spread(bits->matrix, matrix) | spread(bits->word, element));
    }
  }
  int32_t copies = spread(bits->copies, -1);
  for (int32_t reg = 0; reg < toOffset.getInDimSize(Dim::Register); ++reg)
    access.representative.push_back(reg & ~copies);
  return access;
}

} // namespace hocket
