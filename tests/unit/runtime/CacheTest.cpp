//===- CacheTest.cpp - The disk cache survives whatever happens to its files -------===//
#include "runtime/Cache.h"
#include <fstream>
#include <gtest/gtest.h>
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
  DiskCache cache() { return DiskCache(root / "kernels"); }
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
  DiskCache nested(root / "a" / "b");
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
  DiskCache blocked(root / "file" / "kernels");
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

// Readers and writers of one entry at the same time, in threads and in another process: every read that finds
// something finds one writer's whole entry.
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
