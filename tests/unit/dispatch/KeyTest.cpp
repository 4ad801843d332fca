//===- KeyTest.cpp - Equality and hashes of keys -----------------------------------===//
#include "dispatch/Key.h"
#include "dispatch/Table.h"

#include <gtest/gtest.h>

namespace hocket::dispatch {
namespace {

/// Constants of a host language. All have the same hash, so that the comparison decides.
struct Texts {
  using Object = const std::string;
  static uint64_t hash(const std::string *) { return 7; }
  static bool same(const std::string *a, const std::string *b) { return *a == *b; }
};
using Key = KeyOf<Texts>;

Key keyOf(std::initializer_list<Key::Code> codes) {
  Key key;
  for (const Key::Code &code : codes)
    key.append(code);
  return key;
}

constexpr Key::Code kPointer{.kind = CodeKind::Pointer, .element = Element::Float32, .isDivisible = true};
constexpr Key::Code kScalar{.kind = CodeKind::Scalar, .element = Element::Int32};

struct Compiled {
  Key key;
  int number;
  bool current = true;
  bool isCurrent() const { return current; }
};

std::shared_ptr<Compiled> compiled(Key key, int number) {
  return std::make_shared<Compiled>(Compiled{std::move(key), number});
}

TEST(Key, IsTheSameForTheSameCodes) {
  EXPECT_EQ(keyOf({kPointer, kScalar}), keyOf({kPointer, kScalar}));
  EXPECT_FALSE(keyOf({kPointer, kScalar}) == keyOf({kScalar, kPointer}));
  EXPECT_FALSE(keyOf({kPointer}) == keyOf({kPointer, kScalar}));
  Key::Code unaligned = kPointer, otherGpu{.kind = CodeKind::Device, .number = 1};
  unaligned.isDivisible = false;
  EXPECT_FALSE(keyOf({kPointer}) == keyOf({unaligned}));
  EXPECT_FALSE(keyOf({{.kind = CodeKind::Device}}) == keyOf({otherGpu}));
}

TEST(Key, ComparesConstantsByValue) {
  const std::string a = "64", alsoA = "64", b = "128";
  auto with = [](const std::string *object) { return keyOf({{.kind = CodeKind::Constexpr, .object = object}}); };
  EXPECT_EQ(with(&a), with(&alsoA));
  EXPECT_FALSE(with(&a) == with(&b));
  EXPECT_FALSE(with(&a) == with(nullptr));
}

TEST(Key, HoldsMoreCodesThanFitInside) {
  Key a, b;
  for (int i = 0; i < 100; ++i) {
    a.append({.kind = CodeKind::Tuple, .number = i});
    b.append({.kind = CodeKind::Tuple, .number = i});
  }
  Key copy = a;
  EXPECT_EQ(copy, b);
  EXPECT_EQ(copy.codes[99].number, 99);
  b.codes[99].number = 0;
  EXPECT_FALSE(copy == b);
}

TEST(Code, IsWrittenAsTheCompilerReadsIt) {
  EXPECT_EQ(kPointer.typeText(), "*f32:16");
  EXPECT_EQ(kScalar.typeText(), "i32");
}

TEST(Table, FindsWhatWasCompiledBefore) {
  Table<Key, Compiled> table;
  EXPECT_FALSE(table.find(keyOf({kPointer})));
  table.insert(compiled(keyOf({kPointer}), 1));
  table.insert(compiled(keyOf({kScalar}), 2));
  EXPECT_EQ(table.find(keyOf({kPointer}))->number, 1);
  EXPECT_EQ(table.find(keyOf({kScalar}))->number, 2);
  table.clear();
  EXPECT_FALSE(table.find(keyOf({kScalar})));
}

TEST(Table, DoesNotGiveWhatIsNoLongerCurrentAndReplacesIt) {
  Table<Key, Compiled> table;
  auto old = compiled(keyOf({kPointer}), 1);
  table.insert(old);
  old->current = false;
  EXPECT_FALSE(table.find(keyOf({kPointer})));
  table.insert(compiled(keyOf({kPointer}), 2));
  EXPECT_EQ(table.find(keyOf({kPointer}))->number, 2);
  int entries = 0;
  table.forEach([&](const Compiled &) { ++entries; });
  EXPECT_EQ(entries, 1);
}

} // namespace
} // namespace hocket::dispatch
