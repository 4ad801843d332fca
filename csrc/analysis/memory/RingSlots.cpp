//===- RingSlots.cpp - Iterations that select the same slot of a ring buffer ------===//
#include "analysis/memory/RingSlots.h"

#include <numeric>
#include <utility>

using namespace mlir;

namespace hocket {

RingIndex &RingIndex::operator+=(const RingIndex &other) {
  for (auto [value, coefficient] : other.terms)
    if ((terms[value] += coefficient) == 0)
      terms.erase(value);
  offset += other.offset;
  step += other.step;
  modulus = std::gcd(modulus, other.modulus);
  varies |= other.varies;
  return *this;
}

RingIndex &RingIndex::operator*=(int64_t factor) {
  for (auto &[value, coefficient] : terms)
    coefficient *= factor;
  offset *= factor;
  step *= factor;
  modulus = std::abs(modulus * factor);
  return *this;
}

void RingIndex::reduceModulo(int64_t divisor) { modulus = std::gcd(modulus, divisor); }

RingIndex RingIndex::at(const RingIndex &iteration) const {
  RingIndex index = *this, passed = iteration;
  return index += passed *= std::exchange(index.step, 0);
}

RingIndex RingIndex::withTrips(scf::ForOp loop, int64_t trips) const {
  RingIndex index = *this, count = ofTrips(loop);
  if (count.terms.size() != 1 || count.terms.front().second != 1 || count.modulus != 0)
    return index;
  Value value = count.terms.front().first;
  index.offset += index.terms.lookup(value) * (trips - count.offset);
  index.terms.erase(value);
  return index;
}

RingIndex RingIndex::ofIteration() {
  RingIndex index;
  index.step = 1;
  return index;
}

RingIndex RingIndex::ofConstant(int64_t number) {
  RingIndex index;
  index.offset = number;
  return index;
}

std::optional<int64_t> RingIndex::getConstant() const {
  return terms.empty() && step == 0 && modulus == 0 ? std::optional(offset) : std::nullopt;
}

RingIndex RingIndex::withSlots(int64_t slots, int64_t ahead) const {
  RingIndex index = *this;
  index.offset += step * ahead;
  index.modulus = slots;
  return index;
}

std::optional<int64_t> RingIndex::iterationsAhead(const RingIndex &writer, const RingIndex &reader) {
  RingIndex difference = reader;
  (difference *= -1) += writer;
  if (!difference.terms.empty() || difference.step != 0 || reader.step == 0 || difference.offset % reader.step != 0)
    return std::nullopt;
  return difference.offset / reader.step;
}

// Conflicts -----------------------------------------------------------------------------------------------------------

std::optional<RingIndex::Difference> RingIndex::difference(const RingIndex &earlier, const RingIndex &later,
                                                           int64_t iterations) {
  // A term that varies between iterations cancels only if both indices are of the same iteration.
  if (iterations != 0 && (earlier.varies || later.varies))
    return std::nullopt;
  RingIndex difference = later;
  (difference *= -1) += earlier;
  int64_t unit = difference.modulus;
  for (auto [value, coefficient] : difference.terms)
    unit = std::gcd(unit, coefficient);
  return Difference{difference.offset - later.step * iterations, difference.step, unit};
}

std::optional<int64_t> RingIndex::firstOverlap(const RingIndex &earlier, const RingIndex &later, int64_t from) {
  bool varies = earlier.varies || later.varies;
  Difference now = *difference(earlier, later, 0);
  int64_t known = std::gcd(now.unit, now.step);
  auto mayBeEqual = [&](int64_t distance) {
    std::optional<Difference> apart = difference(earlier, later, distance);
    return !apart || (known == 0 ? apart->number == 0 : apart->number % known == 0);
  };
  if (known == 0 && later.step != 0 && !varies) {
    int64_t distance = now.number / later.step;
    return mayBeEqual(distance) && distance >= from ? std::optional(distance) : std::nullopt;
  }
  for (int64_t distance = from; distance < from + kSearchedIterations; ++distance)
    if (mayBeEqual(distance))
      return distance;
  // The difference of the two slot indices, modulo `known`, repeats after at most `known` iterations. If the indices
  // differ at all distances within one such period, they always differ.
  if (known <= kSearchedIterations)
    return std::nullopt;
  return from + kSearchedIterations;
}

std::optional<int64_t> RingIndex::firstIterationAt(const RingIndex &before, const RingIndex &later, bool sameRun) {
  RingIndex difference = later;
  (difference *= -1) += before;
  int64_t known = std::gcd(before.modulus, later.modulus);
  for (auto [value, coefficient] : difference.terms)
    known = std::gcd(known, coefficient);
  if (!sameRun)
    for (auto [value, coefficient] : before.terms)
      known = std::gcd(known, std::gcd(coefficient, later.terms.lookup(value)));
  if (known == 0) { // the difference of the indices is known exactly
    if (later.step == 0)
      return difference.offset == 0 ? std::optional<int64_t>(0) : std::nullopt;
    int64_t iteration = difference.offset / later.step;
    return iteration >= 0 && iteration * later.step == difference.offset ? std::optional(iteration) : std::nullopt;
  }
  for (int64_t iteration = 0; iteration < kSearchedIterations; ++iteration)
    if ((difference.offset - later.step * iteration) % known == 0)
      return iteration;
  // If the indices differ in all iterations within one period of at most `known` iterations, they always differ.
  return known <= kSearchedIterations ? std::nullopt : std::optional(kSearchedIterations);
}

} // namespace hocket
