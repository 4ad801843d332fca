//===- RecordRingTest.cpp - Circular allocation of profiler memory ---------------------------------===//
#include "runtime/RecordRing.h"
#include "runtime/LaunchError.h"
#include "gtest/gtest.h"

#include <cstring>
#include <future>

using namespace hocket;

namespace {

std::atomic<int> written = 0;

/// Simulated GPU memory; a launch ends when `end` is called.
class Memory final : public ReadbackMemory {
public:
  explicit Memory(size_t size) : size(size) { ++made; }
  ~Memory() override { ++destroyed; }

  size_t bytes() const override { return size; }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(this); }
  void markWritten(void *) override {}
  void read(std::span<std::byte> to) override {
    readAfter.push_back(written);
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return hasEnded; });
    hasEnded = false;
    if (value < 0)
      throw LaunchError("the launch has failed");
    std::memset(to.data(), value, to.size());
  }

  /// A negative result means that the launch fails.
  void end(int result) {
    std::lock_guard lock(mutex);
    value = result;
    hasEnded = true;
    ended.notify_all();
  }

  static inline std::atomic<int> made = 0, destroyed = 0;
  /// Number of launches written at the time of each read; the reading thread appends.
  static inline std::vector<int> readAfter;

private:
  size_t size;
  int value = 0;
  bool hasEnded = false;
  std::mutex mutex;
  std::condition_variable ended;
};

class RecordRingTest : public testing::Test {
protected:
  static constexpr size_t kSize = 4096;
  void SetUp() override {
    Memory::made = Memory::destroyed = written = 0;
    Memory::readAfter.clear();
  }

  std::shared_ptr<LaunchBytes> readLater(ReadbackMemory &memory, size_t bytes) {
    auto launch = std::make_shared<LaunchBytes>(bytes);
    ++written;
    ring.readLater(memory, launch);
    return launch;
  }
  static void end(ReadbackMemory &memory, int value) { static_cast<Memory &>(memory).end(value); }
  void expectAll(LaunchBytes &launch, size_t count, int value) {
    ring.startReading();
    launch.wait();
    ASSERT_EQ(launch.bytes().size(), count);
    for (std::byte byte : launch.bytes())
      ASSERT_EQ(int(byte), value);
  }

  static std::vector<std::unique_ptr<ReadbackMemory>> make(size_t size, size_t count) {
    std::vector<std::unique_ptr<ReadbackMemory>> made;
    for (size_t i = 0; i < count; ++i)
      made.push_back(std::make_unique<Memory>(size));
    return made;
  }

  RecordRing ring{&make, 4 * kSize, /*bytesAtOnce=*/0};
};

TEST_F(RecordRingTest, NothingWaitsAsLongAsThereIsRoom) {
  std::vector<std::pair<ReadbackMemory *, std::shared_ptr<LaunchBytes>>> launches;
  for (int i = 0; i < 4; ++i) {
    ReadbackMemory &memory = ring.take(3000);
    launches.emplace_back(&memory, readLater(memory, 3000));
  }
  EXPECT_EQ(Memory::made, 4);
  for (int i = 0; i < 4; ++i) {
    end(*launches[i].first, i);
    expectAll(*launches[i].second, 3000, i);
  }
}

TEST_F(RecordRingTest, AFullRingWaitsForItsOldestLaunch) {
  std::vector<ReadbackMemory *> held;
  for (int i = 0; i < 4; ++i)
    held.push_back(&ring.take(kSize));
  std::shared_ptr<LaunchBytes> launch = readLater(*held[2], 16);
  auto taken = std::async(std::launch::async, [&] { return &ring.take(kSize); });
  EXPECT_EQ(taken.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  end(*held[2], 7);
  EXPECT_EQ(taken.get(), held[2]);
  expectAll(*launch, 16, 7);
  EXPECT_EQ(Memory::made, 4);
}

TEST_F(RecordRingTest, ReadingBeginsWhenHalfOfTheMemoryIsInFlight) {
  std::vector<ReadbackMemory *> held;
  for (int i = 0; i < 4; ++i)
    held.push_back(&ring.take(kSize));
  for (int i = 0; i < 3; ++i)
    end(*held[i], i);
  std::vector<std::shared_ptr<LaunchBytes>> launches;
  for (int i = 0; i < 2; ++i)
    launches.push_back(readLater(*held[i], 16));
  for (auto &launch : launches)
    launch->wait(); // the launches have not been read yet
  EXPECT_EQ(Memory::readAfter, (std::vector{2, 2}));
  std::shared_ptr<LaunchBytes> last = readLater(*held[2], 16);
  expectAll(*last, 16, 2);
}

TEST_F(RecordRingTest, MemoryComesBack) {
  for (int i = 0; i < 20; ++i) {
    ReadbackMemory &memory = ring.take(1000);
    end(memory, i);
    expectAll(*readLater(memory, 1000), 1000, i);
  }
  EXPECT_EQ(Memory::made, 1);
}

TEST_F(RecordRingTest, OneLaunchMayNeedMoreThanTheRingMayHave) {
  ring.giveBack(ring.take(100));
  ReadbackMemory &large = ring.take(1 << 20);
  EXPECT_EQ(large.bytes(), size_t(1) << 20);
  EXPECT_EQ(Memory::destroyed, 1);
  ring.giveBack(large);
  EXPECT_EQ(&ring.take(100), &large);
}

TEST_F(RecordRingTest, MemoryIsMadeForSeveralLaunches) {
  RecordRing many(&make, 10 * kSize, 8 * kSize);
  many.take(100);
  EXPECT_EQ(Memory::made, 8);
  for (int i = 0; i < 8; ++i)
    many.take(100);
  EXPECT_EQ(Memory::made, 10); // the maximum
}

TEST_F(RecordRingTest, TheSmallestThatFitsIsTaken) {
  ReadbackMemory *small = &ring.take(100), *large = &ring.take(2 * kSize);
  ring.giveBack(*large);
  ring.giveBack(*small);
  EXPECT_EQ(&ring.take(kSize), small);
  EXPECT_EQ(&ring.take(kSize), large);
}

TEST_F(RecordRingTest, WhatCannotBeReadIsTold) {
  ReadbackMemory &memory = ring.take(100);
  std::shared_ptr<LaunchBytes> launch = readLater(memory, 100);
  end(memory, -1);
  ring.startReading();
  EXPECT_THROW(launch->wait(), LaunchError);
  EXPECT_EQ(&ring.take(100), &memory);
}

TEST_F(RecordRingTest, MemoryOfGraphsIsKept) {
  ReadbackMemory *first = &ring.take(4 * kSize);
  ring.keep(*first);
  EXPECT_NE(&ring.take(4 * kSize), first); // kept memory no longer counts
  EXPECT_EQ(Memory::destroyed, 0);
  delete first;
}

TEST(LaunchBytes, AreAlignedAndZero) {
  for (size_t count : {1, 100, 5000}) {
    LaunchBytes launch(count);
    EXPECT_EQ(launch.bytes().size(), count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(launch.bytes().data()) % 256, 0u);
    for (std::byte byte : launch.bytes())
      ASSERT_EQ(byte, std::byte{0});
  }
}

} // namespace
