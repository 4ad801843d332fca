//===- PartsTest.cpp - Parts of a profile, with and without threads ---------------------===//
#include "profiler/Parts.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

using namespace hocket::profiler;

namespace {

/// Scope in which no thread can start: its stack would be larger than the address space.
class NoThreads {
public:
  NoThreads() {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &usual);
    setStack(size_t(1) << 60);
    pthread_attr_destroy(&attributes);
  }
  ~NoThreads() { setStack(usual); }

private:
  static void setStack(size_t bytes) {
    pthread_attr_t attributes;
    pthread_getattr_default_np(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }

  size_t usual = 0;
};

/// The executed parts, and the threads that executed them.
struct Done {
  std::mutex mutex;
  std::multiset<size_t> parts;
  std::set<std::thread::id> threads;

  void operator()(size_t part) {
    std::lock_guard lock(mutex);
    parts.insert(part);
    threads.insert(std::this_thread::get_id());
  }
};

const std::multiset<size_t> kFour = {0, 1, 2, 3};

} // namespace

TEST(Parts, NoneIsNothing) {
  runParts(0, [](size_t) { FAIL(); });
}

TEST(Parts, EachRunsOnce) {
  Done done;
  runParts(4, std::ref(done));
  EXPECT_EQ(done.parts, kFour);
}

TEST(Parts, TheCallerRunsAllWhereNoThreadCanStart) {
  NoThreads guard;
  EXPECT_THROW(std::thread([] {}), std::system_error);
  Done done;
  runParts(4, std::ref(done));
  EXPECT_EQ(done.parts, kFour);
  EXPECT_EQ(done.threads, std::set{std::this_thread::get_id()});
}

/// The exception of the first of two failing parts is thrown, after all parts have run.
static void expectFirstFailure() {
  Done done;
  try {
    runParts(4, [&](size_t part) {
      done(part);
      if (part == 1 || part == 3)
        throw std::runtime_error(std::to_string(part));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error &failure) {
    EXPECT_STREQ(failure.what(), "1");
  }
  EXPECT_EQ(done.parts, kFour);
}

TEST(Parts, TheFirstFailureIsThrown) { expectFirstFailure(); }

TEST(Parts, TheFirstFailureIsThrownWhereNoThreadCanStart) {
  NoThreads guard;
  expectFirstFailure();
}
