//===- BatchComparesTest.cpp - Order of compares and selects ----------------------------===//
#include "../../Kernels.h"

using namespace hocket;
using namespace hocket::test;

/// Returns 'c' for each compare, 's' for each select, 'n' for wait states, in the order of the assembly text of a
/// kernel whose `body` has the integers %v0 to %v7 and %limit of its lane.
static std::string orderIn(const std::string &body, const std::string &target = "gfx942") {
  std::string text = "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                     "define amdgpu_kernel void @f(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) "
                     "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n"
                     "  %limit = call i32 @llvm.amdgcn.workitem.id.x()\n"
                     "  %at = getelementptr <8 x i32>, ptr addrspace(1) %p, i32 %limit\n"
                     "  %v = load <8 x i32>, ptr addrspace(1) %at\n";
  for (int i = 0; i < 8; ++i) {
    std::string n = std::to_string(i);
    text += "  %v" + n + " = extractelement <8 x i32> %v, i32 " + n + "\n";
  }
  std::string code = assemblyOf(text + body + "  ret void\n}\n", target);
  std::string order;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(code).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::StringRef name = line.trim();
    order += name.starts_with("v_cmp_")       ? "c"
             : name.starts_with("v_cndmask_") ? "s"
             : name.starts_with("s_nop")      ? "n"
                                              : "";
  }
  return order;
}

static std::string store(const std::string &name) {
  return "  store volatile i32 %" + name + ", ptr addrspace(1) %out\n";
}

/// Defines %s0 to %s`count - 1`: %s`i` is %v`i` if %limit > i, else -1.
static std::string masked(int count) {
  std::string text, stores;
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "  %c" + n + " = icmp sgt i32 %limit, " + n + "\n  %s" + n + " = select i1 %c" + n + ", i32 %v" + n +
            ", i32 -1\n";
    stores += store("s" + n);
  }
  return text + stores;
}

TEST(BatchCompares, ThreeComparisonsComeFirst) {
  for (const char *target : {"gfx942", "gfx950"}) {
    EXPECT_EQ(orderIn(masked(6), target), "cccssscccsss");
    EXPECT_EQ(orderIn(masked(3), target), "cccsss");
  }
}

TEST(BatchCompares, NothingWaitsWhereSomeAreLeft) {
  for (int count : {4, 5, 7, 8})
    EXPECT_EQ(llvm::StringRef(orderIn(masked(count))).count('n'), 0u) << count;
}

TEST(BatchCompares, AComparisonOfWhatWasSelectedStays) {
  std::string text = "  %c0 = icmp sgt i32 %limit, 5\n  %s0 = select i1 %c0, i32 %v0, i32 %v1\n";
  for (int i = 1; i < 4; ++i) {
    std::string n = std::to_string(i), before = std::to_string(i - 1), next = std::to_string(i + 1);
    text += "  %c" + n + " = icmp sgt i32 %limit, %s" + before + "\n  %s" + n + " = select i1 %c" + n + ", i32 %v" + n +
            ", i32 %v" + next + "\n";
  }
  EXPECT_EQ(llvm::StringRef(orderIn(text + store("s3"))).count("cc"), 0u);
}

TEST(BatchCompares, MasksThatAreUsedTwiceStay) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    std::string n = std::to_string(i);
    text += "  %c" + n + " = icmp sgt i32 %limit, " + n + "\n  %a" + n + " = select i1 %c" + n + ", i32 %v" + n +
            ", i32 -1\n" + store("a" + n) + "  %b" + n + " = select i1 %c" + n + ", i32 -2, i32 %v" + n + "\n" +
            store("b" + n);
  }
  EXPECT_EQ(llvm::StringRef(orderIn(text)).count("cc"), 0u);
}
