//===- CopyArrivalTest.cpp - Arrival of asynchronous copies in a warp pipeline -----------===//
#include "analysis/warp_pipeline/CopyArrival.h"
#include "WarpPipelineFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
class CopyArrivalTest : public WarpPipelineFixture {
protected:
  /// Returns the number of stages after which the access by `name` has arrived; nullopt if it never does.
  std::optional<int64_t> arrival(llvm::StringRef name = "toy.fetch") {
    std::optional<CopyArrival> found = findArrival(pipeline, access(name));
    return found ? std::optional(found->stagesLater) : std::nullopt;
  }
  /// Returns the slot where a fetch arrives after which `commits` groups were committed when the pipeline begins.
  std::optional<int64_t> entry(unsigned commits) {
    std::optional<EntryArrival> found = findEntryArrival(pipeline, {"toy.fetches"}, commits);
    return found ? std::optional(found->slot) : std::nullopt;
  }

  static std::string copyStage(const std::string &commit = "toy.end_fetches") {
    return R"(hk.stage "copy" {
      %slot = hk.memdesc_index %ring[%next] : !ring -> !smem
      toy.fetch %p, %slot : !ptr -> !smem
    )" + commit +
           " }\n";
  }
};
} // namespace

// The newest group stays in flight, so the wait of the next iteration is the first wait that covers an iteration's
// copy.
TEST_F(CopyArrivalTest, OneGroupIsLeft) {
  parseLoop(copyStage() + R"(toy.await_fetches 1
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), 3);
  EXPECT_EQ(commitsSince(pipeline, access("toy.fetch"), 1), 1u);
  EXPECT_EQ(commitsSince(pipeline, access("toy.fetch"), 3), 2u);
}

TEST_F(CopyArrivalTest, NoGroupIsLeft) {
  parseLoop(copyStage() + R"(toy.await_fetches 0
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), 1);
}

TEST_F(CopyArrivalTest, WithoutAWaitItNeverArrives) {
  parseLoop(copyStage() + R"(hk.stage "use" {})");
  EXPECT_EQ(arrival(), std::nullopt);
}

TEST_F(CopyArrivalTest, WaitOnAnotherCounterIsNone) {
  parseLoop(copyStage() + R"(hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), std::nullopt);
}

TEST_F(CopyArrivalTest, CommitOnAnotherCounterIsNone) {
  parseLoop(copyStage("hk.async_commit_group") + R"(toy.await_fetches 0
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), std::nullopt);
}

TEST_F(CopyArrivalTest, CommitInABranchMayNotTakePlace) {
  parseLoop(copyStage("scf.if %is { toy.end_fetches }") + R"(toy.await_fetches 0
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), std::nullopt);
}

TEST_F(CopyArrivalTest, CommitInTheBranchOfTheCopyDoes) {
  parseLoop(R"(hk.stage "copy" {
      scf.if %is {
        toy.fetch %p, %tile : !ptr -> !smem
        toy.end_fetches
      }
    }
    toy.await_fetches 0
    hk.stage "use" {})");
  EXPECT_EQ(arrival(), 1);
}

// toy.send commits its own group.
TEST_F(CopyArrivalTest, OperationThatCommitsItself) {
  parseLoop(R"(hk.stage "send" { toy.send %tile, %p : !smem -> !ptr }
    toy.await_sends 0 read
    hk.stage "use" {})");
  EXPECT_EQ(arrival("toy.send"), 1);
}

TEST_F(CopyArrivalTest, LineHasNoLaterIterations) {
  const char *line = R"(
    hk.stage "copy" {
      toy.fetch %p, %tile : !ptr -> !smem
      toy.end_fetches
    }
    toy.await_fetches )";
  parse(line + std::string("0 hk.stage \"use\" {}"));
  EXPECT_EQ(arrival(), 1);
  parse(line + std::string("1 hk.stage \"use\" {}"));
  EXPECT_EQ(arrival(), std::nullopt);
}

TEST_F(CopyArrivalTest, CopiesInFlightWhereThePipelineBegins) {
  parseLoop(copyStage() + R"(toy.await_fetches 1
    hk.stage "use" {})");
  EXPECT_EQ(entry(2), 1); // three commits, with that of iteration 0
  EXPECT_EQ(entry(1), 1); // two commits
  EXPECT_EQ(entry(0), 3); // iteration 0 commits the fetch
  EXPECT_FALSE(findEntryArrival(pipeline, hk::kCopyGroups, 5).has_value());
}
