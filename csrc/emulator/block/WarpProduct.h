//===- WarpProduct.h - One warp's part of a product by a warpgroup -----------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_WARPPRODUCT_H
#define HOCKET_EMULATOR_BLOCK_WARPPRODUCT_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "emulator/machine/DescribedOperand.h"

#include <memory>
#include <optional>
#include <vector>

namespace hocket::emulator {

/// A word that stands for register `reg` of the result of product `number`: NaN as f32, and each half as f16.
///
///   sign  exponent, quiet   reg   | sign  exponent, quiet   number
///   r     1 1 1 1 1 1 1 1 1 r*6   | n     1 1 1 1 1 1       n*9
struct Ticket {
  /// All numbers but the last, which words of undefined memory (all bits set) would have.
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

struct WarpProduct {
  static constexpr uint32_t kRows = 16, kLanes = 32, kWordsOfA = 4;

  const host_abi::WarpgroupProduct *what;
  uint64_t a, b; ///< descriptors
  uint32_t warpInGroup;
  bool useAcc;
  uint32_t site;
  uint64_t group;
  /// Where the shared memory of the warp's block begins among those of its cluster, and how much each has: a power of
  /// two where there are several. A descriptor says an address in the block.
  uint32_t ownShared = 0, sharedOfBlock = 0;
  uint32_t number = 0; ///< on its tickets
  bool isComputed = false, isFinished = false;
  /// The product to whose result this one adds, until it is computed.
  std::shared_ptr<WarpProduct> summand = {};
  /// 16 x N f32 (F16 too) or i32: what is added to, then the result.
  std::vector<uint32_t> sums = {};
  std::vector<uint32_t> wordsOfA = {}; ///< by lane
  std::vector<bool> undefined = {};    ///< those of `sums`; empty where that is not tracked
  uint32_t undefinedRows = 0;          ///< of a in registers: a bit each

  host_abi::MatrixElement sum() const { return host_abi::MatrixElement(what->sum); }
  bool isPaired() const { return sum() == host_abi::MatrixElement::F16; }
  uint32_t wordsPerLane() const { return isPaired() ? what->columns / 4 : what->columns / 2; }

  /// What it reads of shared memory.
  std::optional<DescribedOperand> operandA() const;
  DescribedOperand operandB() const;
  template <typename Function>
  void forEachPiece(Function function) const {
    if (auto fromShared = operandA())
      fromShared->forEachPiece([&](uint32_t offset, uint32_t, uint32_t) { function(offset); });
    operandB().forEachPiece([&](uint32_t offset, uint32_t, uint32_t) { function(offset); });
  }

  /// Register `reg` of a lane.
  void setWord(unsigned lane, uint32_t reg, uint32_t word);
  uint32_t word(unsigned lane, uint32_t reg) const;
  void compute(const std::byte *shared, const std::byte *shadows);

  // What is undefined. An element of the result is if any element of its row of a, of its column of b, or of what is
  // added to is.
  void noteUndefinedA(unsigned lane, const uint32_t *shadows);
  void noteUndefinedSum(unsigned lane, uint32_t reg);
  uint32_t shadowWord(unsigned lane, uint32_t reg) const;

private:
  MatrixDescriptor descriptorOf(uint64_t bits) const;
  void computeUndefined(const std::byte *shadows);
};

} // namespace hocket::emulator

#endif
