//===- CacheTest.cpp - Robustness of the disk cache against damaged files ----------===//
#include "runtime/Cache.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hocket;
namespace fs = std::filesystem;

namespace {

const DiskCache::Entry kEntry = {{"cubin", std::string("\x7f"
                                                       "ELF\0binary",
                                                       11)},
                                 {"ptx", ".version 8.3"},
                                 {"empty", ""}};

constexpr uint64_t kLimit = uint64_t(1) << 30;

class Cache : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hocket-cache-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    root = pattern;
  }
  void TearDown() override {
    fs::permissions(root, fs::perms::owner_all);
    fs::remove_all(root);
  }

  std::string fileBytes(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void setFileBytes(const fs::path &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  fs::path root;
  DiskCache cache() { return DiskCache(root / "kernels", kLimit); }
};

} // namespace

TEST_F(Cache, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abc"), kEntry);
}

TEST_F(Cache, MissesWhatWasNeverWritten) {
  EXPECT_EQ(cache().read("abc"), std::nullopt);
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abd"), std::nullopt);
}

TEST_F(Cache, DirectoryAndFilesArePrivate) {
  DiskCache nested(root / "a" / "b", kLimit);
  ASSERT_TRUE(nested.write("abc", kEntry));
  struct stat facts;
  for (fs::path directory : {root / "a", root / "a" / "b"}) {
    ASSERT_EQ(stat(directory.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u) << directory;
  }
  ASSERT_EQ(stat(nested.pathOf("abc").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(Cache, LeavesNoTemporaryFiles) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(std::distance(fs::directory_iterator(root / "kernels"), fs::directory_iterator()), 1);
}

TEST_F(Cache, EveryTruncationIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  std::string bytes = fileBytes(cache().pathOf("abc"));
  for (size_t length = 0; length < bytes.size(); ++length) {
    setFileBytes(cache().pathOf("abc"), bytes.substr(0, length));
    EXPECT_EQ(cache().read("abc"), std::nullopt) << "cut at byte " << length;
  }
}

TEST_F(Cache, EveryFlippedByteIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  std::string bytes = fileBytes(cache().pathOf("abc"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string corrupt = bytes;
    corrupt[i] ^= 0x10;
    setFileBytes(cache().pathOf("abc"), corrupt);
    EXPECT_EQ(cache().read("abc"), std::nullopt) << "byte " << i << " flipped";
  }
}

TEST_F(Cache, TrailingBytesAreAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  setFileBytes(cache().pathOf("abc"), fileBytes(cache().pathOf("abc")) + "x");
  EXPECT_EQ(cache().read("abc"), std::nullopt);
}

TEST_F(Cache, AFileUnderAnotherKeyIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::copy(cache().pathOf("abc"), cache().pathOf("abd"));
  EXPECT_EQ(cache().read("abd"), std::nullopt);
}

TEST_F(Cache, ACorruptEntryIsReplaced) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  setFileBytes(cache().pathOf("abc"), "garbage");
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abc"), kEntry);
}

TEST_F(Cache, AnUnusableDirectoryIsNoError) {
  setFileBytes(root / "file", "not a directory");
  DiskCache blocked(root / "file" / "kernels", kLimit);
  EXPECT_FALSE(blocked.write("abc", kEntry));
  EXPECT_EQ(blocked.read("abc"), std::nullopt);
}

TEST_F(Cache, AReadOnlyDirectoryIsNoError) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write anywhere";
  fs::permissions(root, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abc"), std::nullopt);
}

TEST_F(Cache, ADirectoryThatOthersMayWriteToIsNotUsed) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::permissions(root / "kernels", fs::perms::all);
  EXPECT_EQ(cache().read("abc"), std::nullopt);
  EXPECT_FALSE(cache().write("abd", kEntry));
}

TEST_F(Cache, AnUnreadableEntryIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::remove(cache().pathOf("abc"));
  fs::create_directory(cache().pathOf("abc"));
  EXPECT_EQ(cache().read("abc"), std::nullopt);
}

// A file with an entry's name is used only if this user can have written it.

TEST_F(Cache, ASymbolicLinkIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::rename(cache().pathOf("abc"), root / "elsewhere");
  fs::create_symlink(root / "elsewhere", cache().pathOf("abc"));
  EXPECT_EQ(cache().read("abc"), std::nullopt);
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(cache().pathOf("abc"))));
  EXPECT_EQ(cache().read("abc"), kEntry);
}

TEST_F(Cache, AFolderThatIsASymbolicLinkIsNotUsed) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::rename(root / "kernels", root / "elsewhere");
  fs::create_directory_symlink(root / "elsewhere", root / "kernels");
  EXPECT_EQ(cache().read("abc"), std::nullopt);
  EXPECT_FALSE(cache().write("abd", kEntry));
}

TEST_F(Cache, AFifoIsAMissAndBlocksNobody) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::remove(cache().pathOf("abc"));
  ASSERT_EQ(mkfifo(cache().pathOf("abc").c_str(), 0600), 0);
  EXPECT_EQ(cache().read("abc"), std::nullopt);
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abc"), kEntry);
}

TEST_F(Cache, AnEmptyDirectoryInPlaceOfAnEntryIsReplaced) {
  fs::create_directories(cache().pathOf("abc"));
  fs::permissions(root / "kernels", fs::perms::owner_all);
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().read("abc"), kEntry);
}

TEST_F(Cache, AnEntryThatOthersMayWriteToIsAMiss) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  fs::permissions(cache().pathOf("abc"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache().read("abc"), std::nullopt);
}

TEST_F(Cache, AnEntryOfAnotherUserIsAMiss) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_TRUE(cache().write("abc", kEntry));
  ASSERT_EQ(chown(cache().pathOf("abc").c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache().read("abc"), std::nullopt);
}

TEST_F(Cache, ADirectoryThatIsExchangedAfterItsCheckIsNotRead) {
  // `link` alternately names the cache and a folder that others may write to; only the latter has an entry.
  DiskCache hostile(root / "hostile" / "kernels", kLimit);
  ASSERT_TRUE(hostile.write("abc", kEntry));
  fs::permissions(root / "hostile" / "kernels", fs::perms::all);
  ASSERT_TRUE(DiskCache(root / "good" / "kernels", kLimit).write("abd", kEntry));
  std::atomic<bool> done = false;
  std::thread attacker([&] {
    for (unsigned i = 0; !done; ++i) {
      fs::path next = root / "next";
      fs::create_directory_symlink(root / (i % 2 ? "good" : "hostile"), next);
      fs::rename(next, root / "link");
    }
  });
  unsigned trapped = 0;
  for (int i = 0; i < 20000; ++i)
    trapped += DiskCache(root / "link" / "kernels", kLimit).read("abc").has_value();
  done = true;
  attacker.join();
  EXPECT_EQ(trapped, 0u);
}

TEST_F(Cache, ALengthBeyondTheFileAllocatesNothing) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  ASSERT_TRUE(cache().write("abc", kEntry));
  std::string bytes = fileBytes(cache().pathOf("abc"));
  uint64_t length = uint64_t(1) << 30;
  std::memcpy(&bytes[16], &length, sizeof(length));
  setFileBytes(cache().pathOf("abc"), bytes);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {uint64_t(512) << 20, uint64_t(512) << 20};
    setrlimit(RLIMIT_AS, &limit);
    _exit(cache().read("abc") ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// In containers every process has the same number, so names derived from it repeat.
TEST_F(Cache, WhatAKilledProcessLeftBlocksNobody) {
  ASSERT_TRUE(cache().write("abc", kEntry));
  for (int i = 0; i < 200; ++i)
    setFileBytes(cache().pathOf("abd").string() + "." + std::to_string(getpid()) + "." + std::to_string(i) + ".part",
                 "");
  EXPECT_TRUE(cache().write("abd", kEntry));
}

TEST_F(Cache, AFullDiskIsNoErrorAndLeavesNothing) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN); // like Python
    struct rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(cache().write("abc", {{"data", std::string(5000, 'x')}}) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(root / "kernels"));
}

// Evictions at the size limit.

TEST_F(Cache, TheEntriesUsedLastStay) {
  DiskCache small(root / "kernels", 40 * 4096);
  auto setAge = [&](const std::string &key, time_t seconds) {
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, small.pathOf(key).c_str(), times, 0), 0);
  };
  for (int i = 0; i < 35; ++i) {
    ASSERT_TRUE(small.write("k" + std::to_string(i), kEntry));
    setAge("k" + std::to_string(i), 1000 - i);
  }
  EXPECT_EQ(small.status().entries, 35u);
  EXPECT_TRUE(small.read("k1")); // marks it as used
  for (int i = 35; i < 45; ++i)
    ASSERT_TRUE(small.write("k" + std::to_string(i), kEntry));
  EXPECT_EQ(small.status().entries, 35u);
  EXPECT_LE(small.status().bytes, 40 * 4096u);
  EXPECT_FALSE(small.read("k0"));
  EXPECT_TRUE(small.read("k1"));
  for (int i = 2; i < 11; ++i)
    EXPECT_FALSE(small.read("k" + std::to_string(i))) << i;
  for (int i = 11; i < 45; ++i)
    EXPECT_TRUE(small.read("k" + std::to_string(i))) << i;
}

TEST_F(Cache, AnEntryBeyondTheLimitIsNotKept) {
  DiskCache small(root / "kernels", 8192);
  EXPECT_FALSE(small.write("abc", {{"data", std::string(8192, 'x')}}));
  EXPECT_TRUE(small.write("abc", {{"data", std::string(8000, 'x')}}));
  EXPECT_TRUE(small.read("abc"));
  EXPECT_FALSE(DiskCache(root / "none", 0).write("abc", kEntry));
  EXPECT_FALSE(fs::exists(root / "none"));
}

TEST_F(Cache, WhatKilledProcessesLeftIsSweptAway) {
  DiskCache small(root / "kernels", 40 * 4096);
  ASSERT_TRUE(small.write("abc", kEntry));
  setFileBytes(root / "kernels" / "old.part", "half an entry");
  setFileBytes(root / "kernels" / "new.part", "half an entry");
  setFileBytes(root / "kernels" / "other", "of the user");
  timespec old[2] = {{time(nullptr) - 4000, 0}, {time(nullptr) - 4000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (root / "kernels" / "old.part").c_str(), old, 0), 0);
  ASSERT_TRUE(small.write("abd", kEntry));
  EXPECT_FALSE(fs::exists(root / "kernels" / "old.part"));
  EXPECT_TRUE(fs::exists(root / "kernels" / "new.part")) << "a process may be writing it";
  EXPECT_EQ(small.clear(), 2u);
  EXPECT_FALSE(fs::exists(root / "kernels" / "new.part"));
  EXPECT_TRUE(fs::exists(root / "kernels" / "other"));
}

TEST_F(Cache, SaysWhyItIsNotUsed) {
  EXPECT_EQ(cache().status().problem, "");
  ASSERT_TRUE(cache().write("abc", kEntry));
  EXPECT_EQ(cache().status().problem, "");
  fs::permissions(root / "kernels", fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(cache().status().problem, "is writable by other users");
  EXPECT_EQ(cache().clear(), 0u);
  fs::permissions(root / "kernels", fs::perms::owner_all);
  fs::rename(root / "kernels", root / "elsewhere");
  fs::create_directory_symlink(root / "elsewhere", root / "kernels");
  EXPECT_EQ(cache().status().problem, "is a symbolic link");
  fs::remove(root / "kernels");
  setFileBytes(root / "kernels", "");
  EXPECT_EQ(cache().status().problem, "Not a directory");
}

// Concurrent readers and writers of one entry, in threads and in another process: every successful read returns one
// writer's complete entry.
TEST_F(Cache, ConcurrentWritersNeverMix) {
  auto entryOf = [](int writer) {
    return DiskCache::Entry{{"data", std::string(100000 + writer, char('a' + writer))}};
  };
  constexpr int kWriters = 4, kRounds = 25;
  pid_t child = fork();
  if (child == 0) {
    for (int round = 0; round < kRounds; ++round)
      cache().write("abc", entryOf(kWriters));
    _exit(0);
  }
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer)
    threads.emplace_back([&, writer] {
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(cache().write("abc", entryOf(writer)));
        auto found = cache().read("abc");
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(*found, entryOf((*found)[0].second[0] - 'a'));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
