//===- UsableCoresTest.cpp - Cores of a process that is restricted to some ------------------===//
#include "support/UsableCores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace {

TEST(UsableCores, AreThoseOfTheAffinityMask) {
  unsigned restricted = 0;
  std::thread([&] { // the mask of the test's own thread stays as it is
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && !CPU_COUNT(&one); ++core)
      if (CPU_ISSET(core, &all))
        CPU_SET(core, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    restricted = hocket::usableCores();
  })
      .join();
  EXPECT_EQ(restricted, 1u);
  EXPECT_GE(hocket::usableCores(), 1u);
}

} // namespace
