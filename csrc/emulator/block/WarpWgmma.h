//===- WarpWgmma.h - One warp's part of a wgmma ----------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_WARPWGMMA_H
#define HOCKET_EMULATOR_BLOCK_WARPWGMMA_H

#include "emulator/machine/DescribedOperand.h"
#include "emulator_abi/HostAbi.h"
#include "layout/WarpSizes.h"
#include "target/WgmmaInstructions.h"

#include <memory>
#include <optional>
#include <vector>

namespace hocket::emulator {

/// A word that represents register `reg` of the result of wgmma `number` until the result is available. The word is NaN
/// as f32, and each half of it is NaN as f16. Bits from the most significant bit:
///
///   sign  exponent, quiet   reg   | sign  exponent, quiet   number
///   r     1 1 1 1 1 1 1 1 1 r*6   | n     1 1 1 1 1 1       n*9
struct Ticket {
  /// Number of different wgmmas that tickets can identify. The value 1023 is not used, because the ticket with all bits
  /// set would look like uninitialized memory.
  static constexpr uint32_t kNumbers = 1023;
  static constexpr uint32_t kPattern = 0x7fc07e00;

  uint32_t number, reg;

  uint32_t encode() const {
    return kPattern | (reg & 63) << 16 | (reg >> 6 & 1) << 31 | (number & 511) | (number >> 9 & 1) << 15;
  }
  static std::optional<Ticket> decode(uint32_t word) {
    if ((word & kPattern) != kPattern)
      return std::nullopt;
    return Ticket{(word & 511) | (word >> 15 & 1) << 9, (word >> 16 & 63) | (word >> 31) << 6};
  }
};

struct WarpWgmma {
  static constexpr uint32_t kRows = kWgmmaRows / kWarpsPerWarpgroup, kLanes = kNvidiaWarpSize;

  const host_abi::WarpgroupMma *what;
  uint64_t a, b; ///< descriptors
  uint32_t warpInGroup;
  bool useAcc;
  uint32_t site;
  uint64_t group;
  /// Start and size of the block's shared memory in the shared memory of the cluster. The size is a power of two, or 0
  /// if the cluster has only one block. A matrix descriptor contains an address relative to the start of the block's
  /// shared memory.
  uint32_t ownShared = 0, sharedOfBlock = 0;
  uint32_t number = 0; ///< the number in the tickets of this wgmma
  bool isComputed = false, isFinished = false;
  /// The accumulator input in one register: register `reg` of the result of `wgmma`; if `wgmma` is null, the words in
  /// `sums`.
  struct Summand {
    std::shared_ptr<WarpWgmma> wgmma;
    uint32_t reg = 0;
  };
  /// The accumulator input, indexed by register of a lane, until the wgmma is computed; empty without accumulator
  /// input. A fused wgmma may add to the results of several wgmmas.
  std::vector<Summand> summands = {};
  /// 16 x N elements, f32 (also for f16 results) or i32: the accumulator input, and the result after `compute`.
  std::vector<uint32_t> sums = {};
  std::vector<uint32_t> wordsOfA = {}; ///< words of A (if in registers), lane after lane
  std::vector<bool> undefined = {};    ///< marks undefined elements of `sums`; empty if these are not tracked
  uint32_t undefinedRows = 0;          ///< for A in registers: mask of the rows of A with undefined elements

  NumberFormat sum() const { return NumberFormat(what->sum); }
  bool isPaired() const { return sum() == NumberFormat::F16; }
  uint32_t wordsPerLane() const { return isPaired() ? what->columns / 4 : what->columns / 2; }

  /// Functions that return the operands A and B in shared memory. If A is in registers, operandA returns nullopt.
  std::optional<DescribedOperand> operandA() const;
  DescribedOperand operandB() const;
  template <typename Function>
  void forEachPiece(Function function) const {
    if (auto fromShared = operandA())
      fromShared->forEachPiece([&](uint32_t offset, uint32_t, uint32_t) { function(offset); });
    operandB().forEachPiece([&](uint32_t offset, uint32_t, uint32_t) { function(offset); });
  }

  /// Sets, or returns, the word in accumulator register `reg` of `lane`.
  void setWord(unsigned lane, uint32_t reg, uint32_t word);
  uint32_t word(unsigned lane, uint32_t reg) const;
  void compute(const std::byte *shared, const std::byte *shadows);

  // The following functions track undefined elements. An element of the result is undefined if its accumulator input,
  // or any element of its row of A or of its column of B, is undefined.
  void noteUndefinedA(unsigned lane, const uint32_t *shadows);
  void noteUndefinedSum(unsigned lane, uint32_t reg, uint32_t shadow);
  uint32_t shadowWord(unsigned lane, uint32_t reg) const;

private:
  MatrixDescriptor descriptorOf(uint64_t bits) const;
  /// Copies the accumulator input from `summands` to `sums`.
  void takeSummands();
  void computeUndefined(const std::byte *shadows);
};

} // namespace hocket::emulator

#endif
