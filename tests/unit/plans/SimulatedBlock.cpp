//===- SimulatedBlock.cpp - Executes plans on element indices -----------------------===//
#include "SimulatedBlock.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

namespace hocket {

Registers<int64_t> elementsOf(const LinearLayout &layout) {
  return makeRegisters<int64_t>(layout.getInDimSize(Dim::Warp), layout.getInDimSize(Dim::Lane),
                                layout.getInDimSize(Dim::Register), [&](int32_t reg, int32_t lane, int32_t warp) {
                                  Coords position;
                                  for (DimBits in : layout.getInDims())
                                    position.push_back({in.dim, in.dim == Dim::Register ? reg
                                                                : in.dim == Dim::Lane   ? lane
                                                                : in.dim == Dim::Warp   ? warp
                                                                                        : 0});
                                  return int64_t(layout.flattenOut(layout.apply(position)));
                                });
}

Registers<int64_t> execute(const RegisterMoves &moves, const Registers<int64_t> &src) {
  return makeRegisters<int64_t>(
      src.size(), src[0].size(), moves.source.size(),
      [&](unsigned reg, unsigned lane, unsigned warp) { return src[warp][lane][moves.source[reg]]; });
}

namespace {
using Word = std::vector<int64_t>;

std::vector<Word> select(const std::vector<WordSelect> &selects, std::vector<Word> words, unsigned lane,
                         unsigned warp) {
  for (const WordSelect &step : selects) {
    if ((std::popcount(lane & step.laneMask) + std::popcount(warp & step.warpMask)) % 2 == 0)
      continue;
    std::vector<Word> next;
    for (unsigned word = 0; word < words.size(); ++word)
      next.push_back(words.at(word ^ step.wordXor));
    words = next;
  }
  return words;
}

unsigned xorColumns(const std::vector<unsigned> &columns, unsigned index) {
  unsigned result = 0;
  for (unsigned bit = 0; bit < columns.size(); ++bit)
    result ^= index >> bit & 1 ? columns[bit] : 0;
  return result;
}
} // namespace

Registers<int64_t> execute(const ShuffleMoves &moves, const Registers<int64_t> &src) {
  unsigned lanes = src[0].size();
  Registers<int64_t> result;
  for (unsigned warp = 0; warp < src.size(); ++warp) {
    std::vector<std::vector<Word>> sent(lanes), received(lanes, std::vector<Word>(moves.rounds.size()));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::vector<Word> words;
      for (const std::vector<unsigned> &registers : moves.words) {
        Word &word = words.emplace_back();
        for (unsigned reg : registers)
          word.push_back(src[warp][lane][reg]);
      }
      sent[lane] = select(moves.before, words, lane, warp);
    }
    for (const ShuffleRound &round : moves.rounds)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        unsigned from = xorColumns(moves.laneColumns, lane) ^ xorColumns(moves.warpColumns, warp) ^ round.laneXor;
        received[lane].at(round.receiveWord) = sent.at(from).at(round.sendWord);
      }
    auto &lanesOfWarp = result.emplace_back();
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::vector<Word> words = select(moves.after, received[lane], lane, warp);
      std::vector<int64_t> &registers = lanesOfWarp.emplace_back();
      for (unsigned reg = 0; reg < moves.resultWord.size(); ++reg)
        registers.push_back(words.at(moves.resultWord[reg]).at(moves.resultPosition[reg]));
    }
  }
  return result;
}

Registers<int64_t> execute(const SharedMoves &moves, const Registers<int64_t> &src) {
  Registers<int64_t> storeAt = elementsOf(moves.storeOffset), loadAt = elementsOf(moves.loadOffset);
  Registers<int64_t> result = makeRegisters<int64_t>(src.size(), src[0].size(), loadAt[0][0].size(),
                                                     [](unsigned, unsigned, unsigned) { return -1; });
  int64_t size = moves.elementsPerRepetition;
  for (unsigned repetition = 0; repetition < moves.repetitions; ++repetition) {
    std::vector<int64_t> memory(size, -1);
    for (unsigned warp = 0; warp < src.size(); ++warp)
      for (unsigned lane = 0; lane < src[0].size(); ++lane)
        for (const std::vector<int32_t> &group : moves.store.groups) {
          int64_t first = storeAt[warp][lane][group[0]];
          EXPECT_EQ(first % moves.store.width, 0);
          if (first / size != repetition)
            continue;
          for (size_t i = 0; i < group.size(); ++i) {
            int64_t &cell = memory[first % size + i], value = src[warp][lane][group[i]];
            EXPECT_TRUE(cell == -1 || cell == value) << "two values for one address";
            cell = value;
          }
        }
    for (unsigned warp = 0; warp < src.size(); ++warp)
      for (unsigned lane = 0; lane < src[0].size(); ++lane)
        for (const std::vector<int32_t> &group : moves.load.groups) {
          int64_t first = loadAt[warp][lane][group[0]];
          EXPECT_EQ(first % moves.load.width, 0);
          if (first / size == repetition)
            for (size_t i = 0; i < group.size(); ++i)
              result[warp][lane][group[i]] = memory[first % size + i];
        }
  }
  for (auto &lanes : result)
    for (auto &registers : lanes)
      for (unsigned reg = 0; reg < registers.size(); ++reg)
        registers[reg] = registers[moves.load.representative[reg]];
  return result;
}

static LinearLayout layoutOfColumns(BlockBits bits, std::span<const DimBits> tile, std::span<const uint64_t> columns) {
  const DimBits ins[] = {
      {Dim::Register, uint8_t(bits.reg)}, {Dim::Lane, uint8_t(bits.lane)}, {Dim::Warp, uint8_t(bits.warp)}};
  LinearLayout layout = LinearLayout::zeros(ins, tile);
  unsigned next = 0;
  for (const DimBits &in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      layout.setBasis(in.dim, bit, layout.unflattenOut(columns[next++]));
  return layout;
}

static unsigned totalBits(std::span<const DimBits> tile) {
  unsigned bits = 0;
  for (const DimBits &dim : tile)
    bits += dim.bits;
  return bits;
}

LinearLayout drawPlainLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < totalBits(tile); ++bit)
    columns.push_back(uint64_t(1) << bit);
  columns.resize(bits.reg + bits.lane + bits.warp);
  std::shuffle(columns.begin(), columns.end(), random);
  return layoutOfColumns(bits, tile, columns);
}

LinearLayout drawLayout(std::mt19937 &random, BlockBits bits, std::span<const DimBits> tile) {
  for (;;) {
    std::vector<uint64_t> columns(bits.reg + bits.lane + bits.warp);
    for (uint64_t &column : columns)
      column = random() & ((uint64_t(1) << totalBits(tile)) - 1);
    LinearLayout layout = layoutOfColumns(bits, tile, columns);
    if (layout.isSurjective())
      return layout;
  }
}

} // namespace hocket
