//===- MessageBufferTest.cpp - Messages from kernels to the host -----------------------===//
#include "support/MessageBuffer.h"

#include <gtest/gtest.h>

#include <bit>

namespace hocket {
namespace {

class MessageBuffer : public testing::Test {
protected:
  MessageBuffer() : buffer(kMessageBytes / 8) {}

  /// Writes a record like the code of WriteMessages.
  void write(const MessageArea &area, uint64_t site, uint64_t thread, uint64_t block, std::vector<uint64_t> values) {
    uint64_t &used = buffer[area.counters / 8];
    uint64_t place = used, length = kRecordHeaderWords + values.size();
    used += length;
    if (place + length > uint64_t(area.words)) {
      ++buffer[area.counters / 8 + 1];
      return;
    }
    uint64_t *record = &buffer[area.begin / 8 + place];
    record[0] = site | thread << 32;
    record[1] = block;
    record[2] = length << 32;
    std::copy(values.begin(), values.end(), record + 3);
  }
  Messages take() { return takeMessages(buffer, sites, /*warpSize=*/64); }

  std::vector<uint64_t> buffer;
  std::vector<MessageSite> sites = {{.format = "[%d] x: %g"}, {.format = "all 100%%"}};
};

TEST_F(MessageBuffer, nothingWasSaid) {
  Messages messages = take();
  EXPECT_EQ(messages.lines, "");
  EXPECT_EQ(messages.failures, "");
}

TEST_F(MessageBuffer, blocksComeInTheirOrder) {
  write(kLineArea, 1, 0, 2, {});
  write(kLineArea, 0, 65, 0, {3, std::bit_cast<uint64_t>(0.5)});
  write(kLineArea, 1, 0, 0, {});
  EXPECT_EQ(take().lines, "block (0, 0, 0), warp 1, lane 1: [3] x: 0.5\n"
                          "block (0, 0, 0), warp 0, lane 0: all 100%\n"
                          "block (2, 0, 0), warp 0, lane 0: all 100%\n");
}

TEST_F(MessageBuffer, isZeroAfterwards) {
  for (int i = 0; i < 100'000; ++i)
    write(i % 2 ? kLineArea : kFailureArea, 1, i, i, {});
  take();
  EXPECT_EQ(buffer, std::vector<uint64_t>(buffer.size()));
}

TEST_F(MessageBuffer, whatFindsNoRoomIsCounted) {
  for (int64_t i = 0; i < kLineArea.words / 3 + 7; ++i)
    write(kLineArea, 1, 0, 0, {});
  std::string lines = take().lines;
  EXPECT_TRUE(lines.ends_with("(7 more lines were dropped; a launch can print up to 1024 KiB)\n"))
      << lines.substr(lines.size() - 100);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), kLineArea.words / 3 + 1);
}

TEST_F(MessageBuffer, theFirstOfManyFailures) {
  sites.push_back(
      {.failure = {.file = "k.py", .line = 3, .message = "an index overflows 32 bits"}, .showsIndex = true});
  for (uint64_t i = 0; i < 1000; ++i)
    write(kFailureArea, 2, i, 1000 - i, {uint64_t(1) << 31});
  std::string text = take().failures;
  EXPECT_NE(text.find("k.py:3:1: error: an index overflows 32 bits"), std::string::npos) << text;
  EXPECT_NE(text.find("2147483648, whose low 32 bits are -2147483648"), std::string::npos) << text;
  EXPECT_NE(text.find("and 999 more in this launch"), std::string::npos) << text;
}

TEST_F(MessageBuffer, aRecordOfAnUnknownSiteEndsTheReading) {
  write(kLineArea, 1, 0, 0, {});
  write(kLineArea, 7, 0, 0, {});
  EXPECT_EQ(take().lines, "block (0, 0, 0), warp 0, lane 0: all 100%\n");
}

} // namespace
} // namespace hocket
