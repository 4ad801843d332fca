//===- ValuesTest.cpp - Addresses of a launch's argument values --------------------===//
#include "dispatch/Values.h"

#include <gtest/gtest.h>
#include <string>

namespace hocket::dispatch {

static uint64_t bitsAt(const void *place) {
  uint64_t bits;
  std::memcpy(&bits, place, sizeof(bits));
  return bits;
}

TEST(Values, NarrowOnesLieInOrder) {
  Values values;
  for (uint64_t i = 0; i < 100; ++i) // exceeds the inline storage
    values.append(i * i);
  auto pointers = values.pointers();
  ASSERT_EQ(pointers.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(bitsAt(pointers[i]), i * i);
}

TEST(Values, WideOnesAreAlignedCopies) {
  std::string map(128, 'm'), odd(65, 'o');
  Values values;
  values.append(1);
  values.appendWide(map);
  values.append(2);
  values.appendWide(odd);
  map[0] = 'x'; // after the copy was made
  auto pointers = values.pointers();
  ASSERT_EQ(pointers.size(), 4u);
  EXPECT_EQ(bitsAt(pointers[0]), 1u);
  EXPECT_EQ(std::string(static_cast<const char *>(pointers[1]), 128), std::string(128, 'm'));
  EXPECT_EQ(bitsAt(pointers[2]), 2u);
  EXPECT_EQ(std::string(static_cast<const char *>(pointers[3]), 65), odd);
  for (size_t i : {1, 3})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointers[i]) % Values::kWideAlignment, 0u);
  auto wide = values.wideValues();
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[1].index, 3u);
  EXPECT_EQ(wide[1].bytes, odd);
}

} // namespace hocket::dispatch
