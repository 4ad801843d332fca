//===- ShuffleMovesPlan.cpp - Layout conversions by shuffles within each warp ------===//
//
// Matrices over F2 define the source of each word of the result: result word x of lane l of warp w is operand word Wr x
// ^ Wl l ^ Ww w of lane Lr x ^ Ll l ^ Lw w.
//
//   1. Pack narrow elements: result registers share a word if their sources are always different registers of one lane.
//      The later steps move whole words.
//   2. In round p, lane l receives result word p ^ T l from lane G l, where G = Ll ^ Lr T. The matrix T is chosen so
//      that G has the highest possible rank. If a column of G would depend linearly on other columns, the lane bit of
//      this column is combined with a bit of the word index (so that the lane's result words rotate) or with a copy of
//      the operand in another lane.
//   3. The sending lane must compute the index of the word to send from its own lane index. Lane l needs word Wl l ^ Wr
//      T l and reads lane G l. If a matrix B satisfies B G = Wl ^ Wr T, lane k sends a word whose index has the lane-
//      dependent part B k. Such a matrix B exists iff lanes that read from the same lane need the same word.
//   4. The selects `before` XOR B k into the word index of the operand, where k is the sending lane. The selects
//      `after` XOR T l into the word index of the result, where l is the receiving lane.
//
//===------------------------------------------------------------------------------===//
#include "plans/ShuffleMovesPlan.h"

#include "layout/F2Span.h"
#include "llvm/ADT/STLExtras.h"
#include <bit>

namespace hocket {

namespace {

/// Position of a word within a warp: the index of the word in its lane, and the lane.
struct WordPosition {
  unsigned word = 0, lane = 0;
  WordPosition &operator^=(const WordPosition &other) {
    word ^= other.word, lane ^= other.lane;
    return *this;
  }
};

/// Result of step 1: the operand's position of each result word, for words of packed elements.
struct PackedMap {
  std::vector<std::vector<unsigned>> words;
  std::vector<unsigned> resultWord, resultPosition;
  /// word[i] is the operand's position of the result word with word index 2^i in lane 0 of warp 0. lane[i] and warp[i]
  /// are the operand's positions of result word 0 in lane 2^i of warp 0, and in lane 0 of warp 2^i.
  std::vector<WordPosition> word, lane, warp;
  std::vector<WordPosition> laneCopies;
};

} // namespace

/// Maximum number of selects per lane in a conversion by shuffles. An exchange through shared memory (two barriers, a
/// store and a load) costs about as much as kSelectBudget selects.
static constexpr unsigned kSelectBudget = 48;

// Step 1 --------------------------------------------------------------------------------------------------------------

/// Returns the bits of the result's register index that can become the index of an element within a word. Such a bit
/// must change only the register of the operand's position, and this change must be linearly independent of the
/// register changes by all other bits.
static std::vector<unsigned> choosePackedBits(const PositionMap &map, unsigned maxElements) {
  std::vector<unsigned> packed;
  auto isIndependent = [&](const std::vector<unsigned> &chosen) {
    F2Span others;
    auto isChosen = [&](unsigned bit) { return llvm::is_contained(chosen, bit); };
    for (unsigned bit = 0; bit < map.reg.size(); ++bit)
      if (!isChosen(bit) && map.original[bit] == 1u << bit)
        others.insert(map.reg[bit].reg);
    for (const auto *positions : {&map.lane, &map.warp, &map.laneCopies})
      for (const Position &position : *positions)
        others.insert(position.reg);
    return llvm::all_of(chosen, [&](unsigned bit) { return others.insert(map.reg[bit].reg); });
  };
  for (unsigned bit = 0; bit < map.reg.size() && (2u << packed.size()) <= maxElements; ++bit) {
    bool isOriginal = map.original[bit] == 1u << bit;
    if (!isOriginal || map.reg[bit].lane || map.reg[bit].warp)
      continue;
    packed.push_back(bit);
    if (!isIndependent(packed))
      packed.pop_back();
  }
  return packed;
}

static PackedMap packWords(const PositionMap &map, unsigned maxElements) {
  std::vector<unsigned> packed = choosePackedBits(map, maxElements);
  unsigned positionBits = packed.size(), positionMask = (1u << positionBits) - 1;

  // Each operand register gets coordinates: the low bits are the index of the element within the word, and the high
  // bits are the word index. Position bits that are not packed must change only the word index, so their register
  // changes are inserted before the unit vectors that complete the basis.
  F2Span coordinates;
  std::vector<unsigned> compress; // compress[i] is the coordinate bit of generator i
  auto addGenerator = [&](unsigned reg) {
    unsigned next = coordinates.rank();
    compress.push_back(coordinates.insert(reg) ? next : 0);
  };
  for (unsigned bit : packed)
    addGenerator(map.reg[bit].reg);
  for (const auto *positions : {&map.reg, &map.lane, &map.warp, &map.laneCopies})
    for (const Position &position : *positions)
      addGenerator(position.reg);
  for (unsigned bit = 0; bit < map.numRegisterBits; ++bit)
    addGenerator(1u << bit);
  auto coordinateOf = [&](unsigned reg) {
    unsigned result = 0;
    for (uint64_t recipe = *coordinates.solve(reg); recipe; recipe &= recipe - 1)
      result |= 1u << compress[std::countr_zero(recipe)];
    return result;
  };
  auto wordPositionOf = [&](const Position &position) {
    return WordPosition{coordinateOf(position.reg) >> positionBits, position.lane};
  };

  PackedMap result;
  result.words.assign(size_t(1) << (map.numRegisterBits - positionBits), std::vector<unsigned>(1u << positionBits));
  for (unsigned reg = 0; reg < 1u << map.numRegisterBits; ++reg) {
    unsigned coordinate = coordinateOf(reg);
    result.words[coordinate >> positionBits][coordinate & positionMask] = reg;
  }

  std::vector<unsigned> wordBit(map.reg.size()), positionBit(map.reg.size());
  for (unsigned bit = 0; bit < map.reg.size(); ++bit) {
    auto position = llvm::find(packed, bit);
    if (position != packed.end()) {
      positionBit[bit] = 1u << (position - packed.begin());
    } else if (map.original[bit] == 1u << bit) {
      wordBit[bit] = 1u << result.word.size();
      result.word.push_back(wordPositionOf(map.reg[bit]));
    }
  }
  for (unsigned reg = 0; reg < 1u << map.reg.size(); ++reg) {
    unsigned original = 0, word = 0, position = 0;
    for (unsigned bit = 0; bit < map.reg.size(); ++bit)
      original ^= reg >> bit & 1 ? map.original[bit] : 0;
    for (unsigned bit = 0; bit < map.reg.size(); ++bit)
      if (original >> bit & 1)
        word |= wordBit[bit], position |= positionBit[bit];
    result.resultWord.push_back(word), result.resultPosition.push_back(position);
  }
  for (auto [positions, to] : {std::pair(&map.lane, &result.lane), std::pair(&map.warp, &result.warp),
                               std::pair(&map.laneCopies, &result.laneCopies)})
    for (const Position &position : *positions)
      to->push_back(wordPositionOf(position));
  return result;
}

// Step 2 --------------------------------------------------------------------------------------------------------------

/// Returns the columns of the matrix T of step 2, one for each lane bit: the mask of one bit of the word index by which
/// the lane bit rotates the result words, or 0. Adds the rotation to map.lane. If a copy in another lane makes a
/// rotation unnecessary, changes the source in map.lane to this copy instead.
static std::vector<unsigned> chooseRotation(PackedMap &map) {
  std::vector<unsigned> rotation(map.lane.size());
  F2Span lanesRead;
  std::vector<unsigned> dependentBits;
  for (unsigned bit = 0; bit < map.lane.size(); ++bit)
    if (!lanesRead.insert(map.lane[bit].lane))
      dependentBits.push_back(bit);

  unsigned nextCopy = 0, nextWord = 0;
  for (unsigned bit : dependentBits) {
    while (nextCopy < map.laneCopies.size() && lanesRead.contains(map.laneCopies[nextCopy].lane))
      ++nextCopy;
    while (nextWord < map.word.size() && lanesRead.contains(map.word[nextWord].lane))
      ++nextWord;
    if (nextCopy < map.laneCopies.size()) {
      map.lane[bit] ^= map.laneCopies[nextCopy];
    } else if (nextWord < map.word.size()) {
      rotation[bit] = 1u << nextWord;
      map.lane[bit] ^= map.word[nextWord];
    }
    lanesRead.insert(map.lane[bit].lane);
  }
  return rotation;
}

// Step 3 --------------------------------------------------------------------------------------------------------------

/// Returns the columns of the matrix B of step 3, one for each bit of the sending lane's index; nullopt if B does not
/// exist. map.lane must already include the rotation of step 2.
static std::optional<std::vector<unsigned>> solveSendersChoice(const PackedMap &map) {
  F2Span lanesRead;
  std::vector<unsigned> wantedWord;
  auto wordOf = [&](uint64_t recipe) {
    unsigned word = 0;
    for (; recipe; recipe &= recipe - 1)
      word ^= wantedWord[std::countr_zero(recipe)];
    return word;
  };
  for (const WordPosition &position : map.lane) {
    if (auto recipe = lanesRead.solve(position.lane); recipe && wordOf(*recipe) != position.word)
      return {};
    lanesRead.insert(position.lane);
    wantedWord.push_back(position.word);
  }
  // A lane from which no lane reads can send any word, so the missing columns of B are set to 0.
  for (unsigned bit = 0; bit < map.lane.size(); ++bit) {
    lanesRead.insert(uint64_t(1) << bit);
    wantedWord.push_back(0);
  }
  std::vector<unsigned> columns;
  for (unsigned bit = 0; bit < map.lane.size(); ++bit)
    columns.push_back(wordOf(*lanesRead.solve(uint64_t(1) << bit)));
  return columns;
}

// Step 4 --------------------------------------------------------------------------------------------------------------

/// Builds the selects that XOR the word index with laneColumns[i] for each set bit i of the lane index, and with
/// warpColumns[i] for each set bit i of the warp index. Builds one select for each linearly independent column.
static std::vector<WordSelect> makeSelects(const std::vector<unsigned> &laneColumns,
                                           const std::vector<unsigned> &warpColumns) {
  std::vector<WordSelect> selects;
  F2Span columns;
  std::vector<unsigned> selectOf; // selectOf[i] is the index of the select for column i, if column i is independent
  auto add = [&](unsigned column, unsigned laneMask, unsigned warpMask) {
    selectOf.push_back(selects.size());
    if (columns.insert(column)) {
      selects.push_back({column, laneMask, warpMask});
      return;
    }
    for (uint64_t recipe = *columns.solve(column); recipe; recipe &= recipe - 1) {
      WordSelect &select = selects[selectOf[std::countr_zero(recipe)]];
      select.laneMask |= laneMask, select.warpMask |= warpMask;
    }
  };
  for (unsigned bit = 0; bit < laneColumns.size(); ++bit)
    add(laneColumns[bit], 1u << bit, 0);
  for (unsigned bit = 0; bit < warpColumns.size(); ++bit)
    add(warpColumns[bit], 0, 1u << bit);
  return selects;
}

std::optional<ShuffleMoves> tryShuffleMoves(const PositionMap &map, unsigned elementBits) {
  for (const auto *positions : {&map.reg, &map.lane})
    for (const Position &position : *positions)
      if (position.warp)
        return {};
  for (unsigned bit = 0; bit < map.warp.size(); ++bit)
    if (map.warp[bit].warp != 1u << bit)
      return {};

  PackedMap packed = packWords(map, std::max(1u, 32 / elementBits));
  std::vector<unsigned> rotation = chooseRotation(packed);
  std::optional<std::vector<unsigned>> choice = solveSendersChoice(packed);
  if (!choice)
    return {};
  auto chosenBy = [&](unsigned lane) {
    unsigned word = 0;
    for (; lane; lane &= lane - 1)
      word ^= (*choice)[std::countr_zero(lane)];
    return word;
  };

  ShuffleMoves moves;
  moves.words = std::move(packed.words);
  moves.resultWord = std::move(packed.resultWord), moves.resultPosition = std::move(packed.resultPosition);
  for (const WordPosition &position : packed.lane)
    moves.laneColumns.push_back(position.lane);
  std::vector<unsigned> warpWords;
  for (const WordPosition &position : packed.warp) {
    moves.warpColumns.push_back(position.lane);
    warpWords.push_back(position.word ^ chosenBy(position.lane));
  }
  moves.before = makeSelects(*choice, warpWords);
  moves.after = makeSelects(rotation, {});
  for (unsigned word = 0; word < 1u << packed.word.size(); ++word) {
    WordPosition from;
    for (unsigned bit = 0; bit < packed.word.size(); ++bit)
      if (word >> bit & 1)
        from ^= packed.word[bit];
    moves.rounds.push_back({.sendWord = from.word ^ chosenBy(from.lane), .receiveWord = word, .laneXor = from.lane});
  }
  unsigned selects = moves.words.size() * moves.before.size() + moves.rounds.size() * moves.after.size();
  if (selects > kSelectBudget + moves.rounds.size())
    return {};
  return moves;
}

bool ShuffleMoves::isButterfly() const {
  for (unsigned bit = 0; bit < laneColumns.size(); ++bit)
    if (laneColumns[bit] != 1u << bit)
      return false;
  return llvm::all_of(warpColumns, [](unsigned column) { return column == 0; });
}

unsigned ShuffleMoves::cost() const {
  unsigned shuffles = rounds.size();
  if (isButterfly())
    shuffles -= llvm::count_if(rounds, [](const ShuffleRound &round) { return round.laneXor == 0; });
  return shuffles + words.size() * before.size() + rounds.size() * after.size();
}

} // namespace hocket
