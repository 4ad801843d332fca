//===- ForkMutexTest.cpp - Mutexes in children of multithreaded processes ----------------===//
#include "support/ForkMutex.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hocket;

/// Returns the exit status of a child that locks `first` and `second`; `inside` counts the threads inside.
static int statusOfChild(ForkMutex &first, ForkMutex &second, const int &inside) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::lock_guard lock(first);
    int found = inside; // the protected data are consistent
    std::lock_guard other(second);
    _exit(found);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(ForkMutex, IsFreeInAChild) {
  static auto &first = *new ForkMutex, &second = *new ForkMutex;
  static int inside = 0;
  std::atomic<bool> ends = false;
  auto holdMostly = [&](ForkMutex &mutex, int &count) {
    while (!ends) {
      std::lock_guard lock(mutex);
      ++count;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --count;
    }
  };
  int others = 0;
  std::thread one([&] { holdMostly(first, inside); }), two([&] { holdMostly(second, others); });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(statusOfChild(first, second, inside), 0);
  ends = true;
  one.join();
  two.join();
}

TEST(ForkMutex, OneThatIsMadeInAChildIsOne) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    static auto &mutex = *new ForkMutex;
    static int inside = 0;
    _exit(statusOfChild(mutex, *new ForkMutex, inside));
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
