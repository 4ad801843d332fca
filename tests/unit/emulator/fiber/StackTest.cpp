//===- StackTest.cpp - Stacks that fibers share ---------------------------------------------===//
#include "emulator/fiber/Stack.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hocket::emulator;

TEST(StackCache, IsTheChildsAfterAFork) {
  // Another thread maps stacks continuously, inside the cache. With an ordinary mutex most child processes hung.
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends)
      StackCache::instance().take(size_t(1) << 20); // unmapped, not returned to the cache
  });
  for (int i = 0; i < 50; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      std::unique_ptr<Stack> stack = StackCache::instance().take(1);
      static_cast<char *>(stack->top())[-1] = 1;
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "the child after " << i << " others";
    if (status != 0)
      break;
  }
  ends = true;
  other.join();
}
