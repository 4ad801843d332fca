//===- CrossLane.cpp - Results of operations across the lanes of a warp ------------------------===//
//
// NVIDIA: PTX ISA 9.0, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "elect.sync".
// AMD: "AMD Instinct MI300" ISA guide, "DS_BPERMUTE_B32", "DS_SWIZZLE_B32", "DPP"; MI350 guide, "V_PERMLANE16_SWAP",
// "DS_READ_B64_TR_B16".
//
//===------------------------------------------------------------------------------===//
#include "emulator/machine/CrossLane.h"

#include "emulator/machine/MmaShadows.h"
#include "emulator/machine/WarpMma.h"

#include <bit>
#include <cstring>
#include <optional>

namespace hocket::emulator {

using host_abi::CrossLaneOp;

namespace {

template <typename Function>
void forEachMember(const CrossLaneOperands &operands, Function function) {
  for (uint64_t left = operands.members; left; left &= left - 1)
    function(unsigned(std::countr_zero(left)));
}

/// Computes shfl.sync. Bits 0-4 of operand `b` are the clamp value. Bits 8-12 are the segment mask.
void shuffle(const CrossLaneOperands &operands, PerLane &results) {
  constexpr uint64_t kValid = uint64_t(1) << 32;
  forEachMember(operands, [&](unsigned lane) {
    unsigned offset = operands.a[lane] & 31, clamp = operands.b[lane] & 31, segment = operands.b[lane] >> 8 & 31;
    unsigned last = (lane & segment) | (clamp & ~segment);
    unsigned first = lane & segment;
    int source = 0;
    bool valid = false;
    switch (operands.kind) {
    case CrossLaneOp::ShuffleUp:
      source = int(lane) - int(offset);
      valid = source >= int(last);
      break;
    case CrossLaneOp::ShuffleDown:
      source = int(lane) + int(offset);
      valid = source <= int(last);
      break;
    case CrossLaneOp::ShuffleBfly:
      source = int(lane ^ offset);
      valid = source <= int(last);
      break;
    default:
      source = int(first | (offset & ~segment));
      valid = source <= int(last);
      break;
    }
    if (!valid)
      source = int(lane);
    results[lane] = (operands.value[source] & 0xffffffff) | (valid ? kValid : 0);
  });
}

void vote(const CrossLaneOperands &operands, PerLane &results) {
  uint64_t ballot = 0;
  forEachMember(operands, [&](unsigned lane) { ballot |= (operands.value[lane] & 1) << lane; });
  uint64_t answer = ballot;
  if (operands.kind == CrossLaneOp::VoteAny)
    answer = ballot != 0;
  else if (operands.kind == CrossLaneOp::VoteAll)
    answer = ballot == operands.members;
  else if (operands.kind == CrossLaneOp::VoteUniform)
    answer = ballot == 0 || ballot == operands.members;
  forEachMember(operands, [&](unsigned lane) { results[lane] = answer; });
}

void match(const CrossLaneOperands &operands, PerLane &results) {
  forEachMember(operands, [&](unsigned lane) {
    uint64_t equal = 0;
    forEachMember(operands,
                  [&](unsigned other) { equal |= uint64_t(operands.value[other] == operands.value[lane]) << other; });
    if (operands.kind == CrossLaneOp::MatchAny)
      results[lane] = equal;
    else
      results[lane] = equal == operands.members ? operands.members | uint64_t(1) << 32 : 0;
  });
}

uint32_t combine(CrossLaneOp kind, uint32_t x, uint32_t y) {
  switch (kind) {
  case CrossLaneOp::ReduceAnd:
    return x & y;
  case CrossLaneOp::ReduceOr:
    return x | y;
  case CrossLaneOp::ReduceXor:
    return x ^ y;
  case CrossLaneOp::ReduceMax:
    return int32_t(x) > int32_t(y) ? x : y;
  case CrossLaneOp::ReduceMin:
    return int32_t(x) < int32_t(y) ? x : y;
  case CrossLaneOp::ReduceUMax:
    return x > y ? x : y;
  case CrossLaneOp::ReduceUMin:
    return x < y ? x : y;
  default:
    return x + y;
  }
}

void reduce(const CrossLaneOperands &operands, PerLane &results) {
  std::optional<uint32_t> total;
  forEachMember(operands, [&](unsigned lane) {
    uint32_t value = uint32_t(operands.value[lane]);
    total = total ? combine(operands.kind, *total, value) : value;
  });
  forEachMember(operands, [&](unsigned lane) { results[lane] = *total; });
}

/// Returns the source lane of ds_swizzle, which works in groups of 32 lanes. If bit 15 of `offset` is set, ds_swizzle
/// permutes the lanes of each quad. Otherwise `offset` holds masks for AND, OR and XOR.
unsigned swizzleSource(unsigned lane, uint64_t offset) {
  if (offset & 0x8000)
    return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
  return (lane & 32) | ((((lane & 31) & andMask) | orMask) ^ xorMask);
}

/// Returns the lane that `lane` reads with dpp_ctrl `control` (GFX9); nullopt if this lane does not exist.
std::optional<unsigned> dppSource(unsigned lane, unsigned control) {
  unsigned row = lane & ~15u, column = lane & 15, amount = control & 15;
  auto inRow = [&](int source) -> std::optional<unsigned> {
    if (source < 0 || source > 15)
      return std::nullopt;
    return row + unsigned(source);
  };
  auto inWave = [](int source) -> std::optional<unsigned> {
    if (source < 0 || source > 63)
      return std::nullopt;
    return unsigned(source);
  };
  if (control <= 0xff) // quad_perm
    return (lane & ~3u) | (control >> 2 * (lane & 3) & 3);
  if (control >= 0x101 && control <= 0x10f) // row_shl
    return inRow(int(column) + int(amount));
  if (control >= 0x111 && control <= 0x11f) // row_shr
    return inRow(int(column) - int(amount));
  if (control >= 0x121 && control <= 0x12f) // row_ror
    return row + ((column + 16 - amount) & 15);
  if (control >= 0x150 && control <= 0x15f) // row_newbcast
    return row + amount;
  switch (control) {
  case 0x130: // wave_shl:1
    return inWave(int(lane) + 1);
  case 0x134: // wave_rol:1
    return (lane + 1) & 63;
  case 0x138: // wave_shr:1
    return inWave(int(lane) - 1);
  case 0x13c: // wave_ror:1
    return (lane + 63) & 63;
  case 0x140: // row_mirror
    return row + 15 - column;
  case 0x141: // row_half_mirror
    return (lane & ~7u) + 7 - (lane & 7);
  case 0x142: // row_bcast:15, from lane 15 of a row to the next row
    return lane < 16 ? std::nullopt : std::optional<unsigned>(row - 1);
  case 0x143: // row_bcast:31, from lane 31 to lanes 32-63
    return lane < 32 ? std::nullopt : std::optional<unsigned>(31);
  default:
    return lane;
  }
}

void dpp(const CrossLaneOperands &operands, PerLane &results) {
  forEachMember(operands, [&](unsigned lane) {
    uint64_t control = operands.b[lane];
    bool rowOn = control >> 16 >> (lane / 16) & 1, bankOn = control >> 20 >> (lane / 4 % 4) & 1;
    bool boundsAreZero = control >> 24 & 1;
    std::optional<unsigned> source = dppSource(lane, control & 0x1ff);
    if (!rowOn || !bankOn)
      results[lane] = operands.a[lane];
    else if (source)
      results[lane] = operands.value[*source];
    else
      results[lane] = boundsAreZero ? 0 : operands.a[lane];
  });
}

/// Swaps the odd rows of the first operand with the even rows of the second operand. A row has `width` lanes.
void swapRows(const CrossLaneOperands &operands, PerLane &results, unsigned width) {
  forEachMember(operands, [&](unsigned lane) {
    bool odd = lane & width;
    uint64_t first = odd ? operands.a[lane - width] : operands.value[lane];
    uint64_t second = odd ? operands.a[lane] : operands.value[lane + width];
    results[lane] = (first & 0xffffffff) | second << 32;
  });
}

/// Computes a transposed read (TransposedReads.cpp). Each group of 16 lanes holds a matrix with rows of 16 elements,
/// and each lane receives a column.
template <unsigned width>
void transpose(std::array<uint64_t, kMaxWarpSize> &words) {
  constexpr unsigned kColumns = 16, kPerLane = 64 / width;
  constexpr uint64_t kElement = (uint64_t(1) << width) - 1;
  std::array<uint64_t, kMaxWarpSize> columns;
  for (unsigned lane = 0; lane < kMaxWarpSize; ++lane) {
    unsigned column = lane % kColumns, first = lane - column + column / kPerLane;
    uint64_t result = 0;
    for (unsigned row = 0; row < kPerLane; ++row)
      result |= (words[first + row * (kColumns / kPerLane)] >> column % kPerLane * width & kElement) << row * width;
    columns[lane] = result;
  }
  words = columns;
}

/// For each of the 32 lanes of a warp, 16 bytes: one row of a matrix, or one word of each of four matrices.
using MatrixPieces = std::array<std::array<uint16_t, 8>, 32>;

/// Row and column of a lane's half word in an 8 x 8 matrix.
struct HalfWordPosition {
  unsigned row, column;
  HalfWordPosition(unsigned lane, unsigned half, bool transposes)
      : row(transposes ? lane % 4 * 2 + half : lane / 4), column(transposes ? lane / 4 : lane % 4 * 2 + half) {}
};

template <typename Function>
void forEachHalf(unsigned matrices, bool transposes, Function function) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < matrices; ++matrix)
      for (unsigned half = 0; half < 2; ++half)
        function(lane, 2 * matrix + half, matrix, HalfWordPosition(lane, half, transposes));
}

/// Computes ldmatrix. Lane 8 m + r passes row r of matrix m. Each lane receives its words of all matrices.
MatrixPieces loadMatrices(const MatrixPieces &rows, unsigned matrices, bool transposes) {
  MatrixPieces words = rows;
  forEachHalf(matrices, transposes, [&](unsigned lane, unsigned half, unsigned matrix, HalfWordPosition position) {
    words[lane][half] = rows[8 * matrix + position.row][position.column];
  });
  return words;
}

/// Computes stmatrix, the inverse of loadMatrices. With fewer than 4 matrices, the remaining lanes receive copies of
/// the rows.
MatrixPieces storeMatrices(const MatrixPieces &words, unsigned matrices, bool transposes) {
  MatrixPieces rows = words;
  forEachHalf(matrices, transposes, [&](unsigned lane, unsigned half, unsigned matrix, HalfWordPosition position) {
    for (unsigned first = 0; first < 32; first += 8 * matrices)
      rows[first + 8 * matrix + position.row][position.column] = words[lane][half];
  });
  return rows;
}

void moveMatrices(const CrossLaneOperands &operands, MatrixPieces (*move)(const MatrixPieces &, unsigned, bool)) {
  auto how = uint32_t(operands.b[0]);
  for (uint64_t number = 0; number < operands.a[0]; ++number) {
    MatrixPieces pieces;
    auto pieceOf = [&](unsigned lane) {
      return reinterpret_cast<std::byte *>(operands.value[lane]) + number * sizeof(pieces[0]);
    };
    for (unsigned lane = 0; lane < pieces.size(); ++lane)
      std::memcpy(&pieces[lane], pieceOf(lane), sizeof(pieces[lane]));
    pieces = move(pieces, how % host_abi::kTransposesMatrices, (how & host_abi::kTransposesMatrices) != 0);
    for (unsigned lane = 0; lane < pieces.size(); ++lane)
      std::memcpy(pieceOf(lane), &pieces[lane], sizeof(pieces[lane]));
  }
}

void transposeAll(const CrossLaneOperands &operands) {
  auto wordOf = [&](unsigned lane, uint64_t number) {
    return reinterpret_cast<uint64_t *>(operands.value[lane]) + number;
  };
  for (uint64_t number = 0; number < operands.a[0]; ++number) {
    std::array<uint64_t, kMaxWarpSize> words;
    for (unsigned lane = 0; lane < kMaxWarpSize; ++lane)
      words[lane] = *wordOf(lane, number);
    switch (uint32_t(operands.b[0])) {
    case 16:
      transpose<16>(words);
      break;
    case 8:
      transpose<8>(words);
      break;
    default:
      transpose<4>(words);
    }
    for (unsigned lane = 0; lane < kMaxWarpSize; ++lane)
      *wordOf(lane, number) = words[lane];
  }
}

/// Calls `multiply(row, operands)` with the operands that the lanes have passed.
template <typename Multiply>
void multiplyRow(const CrossLaneOperands &operands, Multiply multiply) {
  const auto &row = *reinterpret_cast<const host_abi::MatrixRow *>(operands.a[0]);
  std::array<std::byte *, kMaxWarpSize> lanes;
  unsigned count = host_abi::matrixOperations()[row.operation].lanes;
  for (unsigned lane = 0; lane < count; ++lane)
    lanes[lane] = reinterpret_cast<std::byte *>(operands.value[lane]);
  multiply(row, WaveOperands(lanes.data(), count));
}

/// Sets the result of each lane to 1 if the operands of any lane are marked as undefined, and to 0 otherwise.
void tellWhetherUndefined(const CrossLaneOperands &operands, PerLane &results) {
  uint64_t flags = 0;
  forEachMember(operands, [&](unsigned lane) { flags |= operands.b[lane]; });
  forEachMember(operands, [&](unsigned lane) { results[lane] = flags & host_abi::kUndefinedOperands ? 1 : 0; });
}

} // namespace

void resolveCrossLane(const CrossLaneOperands &operands, PerLane &results) {
  auto pull = [&](auto sourceOf) {
    forEachMember(operands,
                  [&](unsigned lane) { results[lane] = operands.value[sourceOf(lane) & (operands.warpSize - 1)]; });
  };
  switch (operands.kind) {
  case CrossLaneOp::ShuffleBfly:
  case CrossLaneOp::ShuffleUp:
  case CrossLaneOp::ShuffleDown:
  case CrossLaneOp::ShuffleIdx:
    return shuffle(operands, results);
  case CrossLaneOp::VoteAny:
  case CrossLaneOp::VoteAll:
  case CrossLaneOp::VoteBallot:
  case CrossLaneOp::VoteUniform:
    return vote(operands, results);
  case CrossLaneOp::MatchAny:
  case CrossLaneOp::MatchAll:
    return match(operands, results);
  case CrossLaneOp::Elect:
    return forEachMember(operands,
                         [&](unsigned lane) { results[lane] = lane == unsigned(std::countr_zero(operands.members)); });
  case CrossLaneOp::WarpSync:
    return;
  case CrossLaneOp::ReduceAdd:
  case CrossLaneOp::ReduceAnd:
  case CrossLaneOp::ReduceOr:
  case CrossLaneOp::ReduceXor:
  case CrossLaneOp::ReduceMax:
  case CrossLaneOp::ReduceMin:
  case CrossLaneOp::ReduceUMax:
  case CrossLaneOp::ReduceUMin:
    return reduce(operands, results);
  case CrossLaneOp::Bpermute:
    return pull([&](unsigned lane) { return unsigned(operands.a[lane] >> 2); });
  case CrossLaneOp::Swizzle:
    return pull([&](unsigned lane) { return swizzleSource(lane, operands.a[lane]); });
  case CrossLaneOp::Dpp:
    return dpp(operands, results);
  case CrossLaneOp::Readlane:
    return pull([&](unsigned lane) { return unsigned(operands.a[lane]); });
  case CrossLaneOp::ReadFirstLane:
    return pull([&](unsigned) { return unsigned(std::countr_zero(operands.members)); });
  case CrossLaneOp::Permlane16Swap:
    return swapRows(operands, results, 16);
  case CrossLaneOp::Permlane32Swap:
    return swapRows(operands, results, 32);
  case CrossLaneOp::Mmas:
    multiplyRow(operands, multiplyMatrices); // the results overwrite the operands in memory
    return tellWhetherUndefined(operands, results);
  case CrossLaneOp::MmaShadows:
    return multiplyRow(operands, multiplyMmaShadows);
  case CrossLaneOp::MatrixLoads:
    moveMatrices(operands, loadMatrices);
    return tellWhetherUndefined(operands, results);
  case CrossLaneOp::MatrixStores:
    moveMatrices(operands, storeMatrices);
    return tellWhetherUndefined(operands, results);
  case CrossLaneOp::TransposedReads:
    transposeAll(operands); // the results overwrite the operands in memory
    return tellWhetherUndefined(operands, results);
  }
}

} // namespace hocket::emulator
