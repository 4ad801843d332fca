//===- GlobalRange.cpp - Addresses of a global memory access in each iteration -----===//
//
// The distance in bytes between element (i, j) of one tile and element (i', j') of another tile is
//
//     distance + unit * m + strides * (i, j) - strides' * (i', j')
//
// The tiles overlap if, for some indices and some integer m, this distance is so close to 0 that the two elements share
// a byte. The search for such indices first chooses the index with the largest stride, because the range of the
// remaining terms leaves few possible values for this index.
//
//===------------------------------------------------------------------------------===//
#include "analysis/global/GlobalRange.h"

#include "dialect/hk/layouts/MemDescViews.h"

#include <numeric>
#include <set>

using namespace mlir;

namespace hocket {

/// Maximum number of combinations of indices that the search tries before it assumes that two tiles overlap. For tiles
/// of a row-major array, the search tries only a few indices.
static constexpr unsigned kMostTried = 4096;
/// Maximum period, in iterations, of the distance between two accesses for which areApartFrom checks each iteration of
/// the period.
static constexpr int64_t kLongestPeriod = 64;

namespace {
/// The multiples stride * n with first <= n <= last.
struct Multiples {
  int64_t stride = 1, first = 0, last = 0;
  int64_t min() const { return stride * first; }
  int64_t max() const { return stride * last; }
};

/// The set of all sums of one summand from each of several sets of multiples.
class Sums {
public:
  /// Adds a set of summands: sign * stride * i for each index i below `count`.
  void add(int64_t stride, int64_t count, int64_t sign);
  /// Adds a set of summands: all numbers stride * n with which a sum could reach `target`. n is not negative unless
  /// `mayBeNegative`.
  void addUnknown(int64_t stride, int64_t target, bool mayBeNegative);
  /// True if one of the sums may be within [first, last].
  bool mayBeIn(int64_t first, int64_t last);
  int64_t min() const;
  int64_t max() const;

private:
  bool search(size_t from, int64_t first, int64_t last);

  SmallVector<Multiples> terms;
  unsigned tried = 0;
};
} // namespace

void Sums::add(int64_t stride, int64_t count, int64_t sign) {
  stride *= sign;
  if (stride == 0 || count == 1)
    return;
  Multiples added{std::abs(stride), stride > 0 ? 0 : 1 - count, stride > 0 ? count - 1 : 0};
  for (Multiples &term : terms)
    if (term.stride == added.stride) {
      term.first += added.first;
      term.last += added.last;
      return;
    }
  terms.push_back(added);
}

int64_t Sums::min() const {
  return std::accumulate(terms.begin(), terms.end(), int64_t(0),
                         [](int64_t sum, auto &term) { return sum + term.min(); });
}

int64_t Sums::max() const {
  return std::accumulate(terms.begin(), terms.end(), int64_t(0),
                         [](int64_t sum, auto &term) { return sum + term.max(); });
}

void Sums::addUnknown(int64_t stride, int64_t target, bool mayBeNegative) {
  if (stride == 0)
    return;
  int64_t reach = (std::abs(target) + max() - min()) / std::abs(stride) + 1;
  bool isBackward = mayBeNegative || stride < 0, isForward = mayBeNegative || stride > 0;
  terms.push_back({std::abs(stride), isBackward ? -reach : 0, isForward ? reach : 0});
}

bool Sums::mayBeIn(int64_t first, int64_t last) {
  llvm::sort(terms, [](const Multiples &a, const Multiples &b) { return a.stride > b.stride; });
  return search(0, first, last);
}

bool Sums::search(size_t from, int64_t first, int64_t last) {
  if (++tried > kMostTried)
    return true;
  if (from == terms.size())
    return first <= 0 && 0 <= last;
  int64_t least = 0, most = 0;
  for (const Multiples &rest : ArrayRef(terms).drop_front(from + 1)) {
    least += rest.min();
    most += rest.max();
  }
  const Multiples &term = terms[from];
  int64_t begin = std::max(term.first, llvm::divideCeilSigned(first - most, term.stride));
  int64_t end = std::min(term.last, llvm::divideFloorSigned(last - least, term.stride));
  for (int64_t n = begin; n <= end; ++n)
    if (search(from + 1, first - term.stride * n, last - term.stride * n))
      return true;
  return false;
}

// One access ----------------------------------------------------------------------------------------------------------

/// If the index of a dimension is multiplied by a number known only at launch, each index is assumed to select a row
/// with its own cache lines.
std::optional<int64_t> GlobalRange::linesOf(int64_t lineBytes) const {
  if (!base)
    return std::nullopt;
  int64_t rows = 1;
  std::vector<int64_t> offsets = {0};
  auto plain = parts.find(Value());
  for (auto [dim, count] : llvm::enumerate(shape)) {
    if (llvm::any_of(parts, [&, dim = dim](auto &part) { return part.first && part.second.strides[dim] != 0; })) {
      rows *= count;
      continue;
    }
    const int64_t stride = plain == parts.end() ? 0 : plain->second.strides[dim];
    const size_t known = offsets.size();
    for (int64_t i = 1; i < count && stride != 0; ++i)
      for (size_t j = 0; j < known; ++j)
        offsets.push_back(offsets[j] + i * stride);
  }
  const int64_t first = *llvm::min_element(offsets);
  std::set<int64_t> lines;
  for (int64_t offset : offsets)
    lines.insert({(offset - first) / lineBytes, (offset - first + elementBytes - 1) / lineBytes});
  return rows * int64_t(lines.size());
}

// Two accesses --------------------------------------------------------------------------------------------------------

namespace {
/// The parts of the addresses of two accesses, for one factor. `iterations`, the parameter of the member functions, is
/// the number of iterations between the two accesses.
struct Pair {
  const GlobalRange::Part &earlier, &later;
  ArrayRef<int64_t> earlierShape, laterShape;
  int64_t earlierBytes, laterBytes;

  Sums sums() const {
    Sums sums;
    for (auto [stride, count] : llvm::zip(earlier.strides, earlierShape))
      sums.add(stride, count, 1);
    for (auto [stride, count] : llvm::zip(later.strides, laterShape))
      sums.add(stride, count, -1);
    return sums;
  }
  bool mayOverlap(int64_t iterations) const;
  bool areApartFrom(int64_t iterations) const;
};
} // namespace

bool Pair::mayOverlap(int64_t iterations) const {
  std::optional<RingIndex::Difference> apart = RingIndex::difference(earlier.start, later.start, iterations);
  if (!apart)
    return true;
  Sums all = sums();
  if (apart->unit != 0)
    all.addUnknown(std::gcd(apart->unit, apart->step), apart->number, /*mayBeNegative=*/true);
  else
    all.addUnknown(apart->step, apart->number, /*mayBeNegative=*/false);
  return all.mayBeIn(1 - earlierBytes - apart->number, laterBytes - 1 - apart->number);
}

bool Pair::areApartFrom(int64_t iterations) const {
  std::optional<RingIndex::Difference> apart = RingIndex::difference(earlier.start, later.start, iterations);
  if (!apart)
    return false;
  int64_t step = later.start.getStep(), unit = std::gcd(apart->unit, apart->step);
  if (apart->unit == 0 && (step != 0 || apart->step != 0)) {
    // The ranges are disjoint in all later iterations if the distance between the ranges does not shrink.
    bool isAbove = step >= 0 && apart->step <= 0 && apart->number + sums().max() <= -earlierBytes;
    bool isBelow = step <= 0 && apart->step >= 0 && apart->number + sums().min() >= laterBytes;
    return isAbove || isBelow;
  }
  int64_t period = unit == 0 ? 1 : unit / std::gcd(unit, step);
  if (period > kLongestPeriod)
    return false;
  auto isApart = [&](int64_t more) { return !mayOverlap(iterations + more); };
  return llvm::all_of(llvm::seq<int64_t>(0, period), isApart);
}

/// Returns true if there is a factor such that `test` returns true for the parts of both accesses with this factor.
template <typename F>
static bool anyPart(const GlobalRange::Parts &earlier, const GlobalRange::Parts &later, F &&test) {
  static const GlobalRange::Part none;
  auto partOf = [](const GlobalRange::Parts &parts, Value factor) -> const GlobalRange::Part & {
    auto found = parts.find(factor);
    return found == parts.end() ? none : found->second;
  };
  auto onlyLater = [&](auto &part) { return !earlier.contains(part.first) && test(none, part.second); };
  return llvm::any_of(earlier, [&](auto &part) { return test(part.second, partOf(later, part.first)); }) ||
         llvm::any_of(later, onlyLater);
}

bool GlobalRange::mayOverlap(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations) {
  if (!earlier.base || earlier.base != later.base || (iterations != 0 && (earlier.varies || later.varies)))
    return true;
  return !anyPart(earlier.parts, later.parts, [&](const Part &a, const Part &b) {
    return !Pair{a, b, earlier.shape, later.shape, earlier.elementBytes, later.elementBytes}.mayOverlap(iterations);
  });
}

bool GlobalRange::areApartFrom(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations) {
  if (!earlier.base || earlier.base != later.base || earlier.varies || later.varies)
    return false;
  return anyPart(earlier.parts, later.parts, [&](const Part &a, const Part &b) {
    return Pair{a, b, earlier.shape, later.shape, earlier.elementBytes, later.elementBytes}.areApartFrom(iterations);
  });
}

bool GlobalRange::hasSameAddresses(const GlobalRange &other) const {
  return hk::lookThroughRegions(addresses.addresses) == hk::lookThroughRegions(other.addresses.addresses) &&
         (!addresses.base == !other.addresses.base) &&
         (!addresses.base || hk::lookThroughRegions(addresses.base) == hk::lookThroughRegions(other.addresses.base));
}

bool GlobalRange::areSame(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations) {
  if (earlier.shape != later.shape || earlier.elementBytes != later.elementBytes ||
      (iterations != 0 && (earlier.varies || later.varies)))
    return false;
  if (!earlier.base)
    return earlier.hasSameAddresses(later);
  if (earlier.base != later.base || !earlier.areElementsApart())
    return false;
  return !anyPart(earlier.parts, later.parts, [&](const Part &a, const Part &b) {
    std::optional<RingIndex::Difference> apart = RingIndex::difference(a.start, b.start, iterations);
    if (!apart || a.strides != b.strides)
      return true;
    // The start addresses of the two tiles differ by a multiple of `unit`. If no tile is longer than `unit`, tiles with
    // different start addresses do not overlap.
    int64_t unit = std::gcd(apart->unit, apart->step), length = earlier.elementBytes;
    for (auto [stride, count] : llvm::zip(a.strides, earlier.shape))
      length += std::abs(stride) * (count - 1);
    return unit == 0 ? apart->number != 0 : apart->number % unit != 0 || length > unit;
  });
}

/// True if no two elements of the tile have the same address. In the part of each factor, each stride must be at least
/// as long as the address range that the smaller strides span. Each dimension with several elements must have a nonzero
/// stride in at least one part.
bool GlobalRange::areElementsApart() const {
  SmallVector<bool> isTold(shape.size());
  auto tells = [&](const Part &part, int64_t reach) {
    SmallVector<std::pair<int64_t, unsigned>> dims;
    for (auto [dim, stride] : llvm::enumerate(part.strides))
      if (stride != 0 && shape[dim] > 1 && !isTold[dim])
        dims.push_back({std::abs(stride), unsigned(dim)});
    llvm::sort(dims);
    for (auto [stride, dim] : dims) {
      if (stride < reach)
        return false;
      reach += stride * (shape[dim] - 1);
      isTold[dim] = true;
    }
    return true;
  };
  for (auto &[factor, part] : parts)
    if (factor && !tells(part, 1))
      return false;
  if (auto plain = parts.find(Value()); plain != parts.end() && !tells(plain->second, elementBytes))
    return false;
  return llvm::all_of(llvm::enumerate(shape), [&](auto dim) { return dim.value() == 1 || isTold[dim.index()]; });
}

} // namespace hocket
