//===- RejoinVectorsTest.cpp - Vectors that are restored, and those that cannot be ------------===//
#include "codegen/amd/ir/RejoinVectors.h"
#include "../../Kernels.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

using namespace hocket;
using namespace hocket::test;

/// Returns the text of `body`'s function after its vectors were joined, one instruction per line, without branches.
static std::string joined(const std::string &body) {
  llvm::LLVMContext context;
  auto module = parse(
      "declare <4 x float> @llvm.amdgcn.mfma.f32.4x4x4f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, "
      "i32)\ndeclare <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.f16(<8 x half>, <8 x half>, <4 x float>, i32, i32, "
      "i32)\ndeclare <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32>, <8 x i32>, <4 x "
      "float>, i32, i32, i32, i32, i32, i32)\ndefine void @f(ptr %p, i1 %again, float %s, float %t) {\n" +
          body + "  ret void\n}\n",
      context);
  rejoinVectors(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (llvm::Instruction &op : llvm::instructions(*module->getFunction("f")))
    if (!op.isTerminator())
      stream << op << '\n';
  return text;
}

static std::string extracts(const std::string &type, const std::string &from, const std::string &to,
                            std::vector<int> places) {
  std::string text;
  for (auto [index, place] : llvm::enumerate(places))
    text += "  %" + to + std::to_string(index) + " = extractelement " + type + " %" + from + ", i32 " +
            std::to_string(place) + "\n";
  return text;
}

/// Returns inserts of the four floats or halves `of`0 to 3 into %`to`.
static std::string inserts(const std::string &element, const std::string &of, const std::string &to) {
  std::string type = "<4 x " + element + ">", text, last = "poison";
  for (int i = 0; i < 4; ++i) {
    std::string next = "%" + to + (i < 3 ? ".part" + std::to_string(i) : "");
    text += "  " + next + " = insertelement " + type + " " + last + ", " + element + " %" + of + std::to_string(i) +
            ", i32 " + std::to_string(i) + "\n";
    last = next;
  }
  return text;
}

static const std::string kLoad = "  %v = load volatile <4 x float>, ptr %p\n";
static const std::string kStore = "  store volatile <4 x float> %w, ptr %p\n";
static const std::string kProduct =
    "  %product = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x4f16(<4 x half> zeroinitializer, "
    "<4 x half> zeroinitializer, <4 x float> %w, i32 0, i32 0, i32 0)\n";

TEST(RejoinVectors, AllElementsInOrder) {
  EXPECT_EQ(joined(kLoad + extracts("<4 x float>", "v", "e", {0, 1, 2, 3}) + inserts("float", "e", "w") + kStore),
            "  %v = load volatile <4 x float>, ptr %p, align 16\n"
            "  store volatile <4 x float> %v, ptr %p, align 16\n");
}

TEST(RejoinVectors, OtherOrdersAndPartsAreShuffled) {
  EXPECT_EQ(joined(kLoad + extracts("<4 x float>", "v", "e", {1, 0, 2, 3}) + inserts("float", "e", "w") + kStore),
            "  %v = load volatile <4 x float>, ptr %p, align 16\n"
            "  %1 = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 2, i32 3>\n"
            "  store volatile <4 x float> %1, ptr %p, align 16\n");
  EXPECT_EQ(joined("  %v = load volatile <8 x float>, ptr %p\n" + extracts("<8 x float>", "v", "e", {0, 1, 2, 3}) +
                   inserts("float", "e", "w") + kStore),
            "  %v = load volatile <8 x float>, ptr %p, align 32\n"
            "  %1 = shufflevector <8 x float> %v, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n"
            "  store volatile <4 x float> %1, ptr %p, align 16\n");
}

TEST(RejoinVectors, HalvesOfTwoVectors) {
  EXPECT_EQ(joined("  %a = load volatile <2 x float>, ptr %p\n  %b = load volatile <2 x float>, ptr %p\n"
                   "  %e0 = extractelement <2 x float> %a, i32 0\n  %e1 = extractelement <2 x float> %a, i32 1\n"
                   "  %e2 = extractelement <2 x float> %b, i32 0\n  %e3 = extractelement <2 x float> %b, i32 1\n" +
                   inserts("float", "e", "w") + kStore),
            "  %a = load volatile <2 x float>, ptr %p, align 8\n"
            "  %b = load volatile <2 x float>, ptr %p, align 8\n"
            "  %1 = shufflevector <2 x float> %a, <2 x float> %b, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n"
            "  store volatile <4 x float> %1, ptr %p, align 16\n");
}

TEST(RejoinVectors, ElementsOfThreeVectorsAreInserted) {
  std::string body =
      "  %a = load volatile <2 x float>, ptr %p, align 8\n  %b = load volatile <2 x float>, ptr %p, align 8\n"
      "  %c = load volatile <2 x float>, ptr %p, align 8\n"
      "  %e0 = extractelement <2 x float> %a, i32 0\n  %e1 = extractelement <2 x float> %b, i32 1\n"
      "  %e2 = extractelement <2 x float> %c, i32 0\n  %e3 = extractelement <2 x float> %c, i32 1\n" +
      inserts("float", "e", "w") + "  store volatile <4 x float> %w, ptr %p, align 16\n";
  EXPECT_EQ(joined(body), body);
}

/// Returns a loop that carries %a0 to %a3, which begin with `zero`; `trip` computes their next values, %b0 to
/// %b3.
static std::string loopOf(const std::string &trip, const std::string &zero = "float [ 0.0") {
  std::string phis;
  for (std::string i : {"0", "1", "2", "3"})
    phis += "  %a" + i + " = phi " + zero + ", %entry ], [ %b" + i + ", %loop ]\n";
  return "entry:\n  br label %loop\nloop:\n" + phis + trip + "  br i1 %again, label %loop, label %end\nend:\n";
}

TEST(RejoinVectors, SumsAreCarriedWhole) {
  EXPECT_EQ(
      joined(loopOf(inserts("float", "a", "w") + kProduct + extracts("<4 x float>", "product", "b", {0, 1, 2, 3}))),
      "  %0 = phi <4 x float> [ zeroinitializer, %entry ], [ %product, %loop ]\n"
      "  %product = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x4f16(<4 x half> zeroinitializer, <4 x half> "
      "zeroinitializer, <4 x float> %0, i32 0, i32 0, i32 0)\n");
}

TEST(RejoinVectors, FactorsAreCarriedWholeAndReadAsOtherNumbers) {
  std::string product = "  %bits = bitcast <4 x float> %w to <8 x half>\n"
                        "  %product = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.f16(<8 x half> %bits, <8 x half> "
                        "%bits, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)\n"
                        "  store volatile <4 x float> %product, ptr %p\n";
  std::string text =
      joined(loopOf(inserts("float", "a", "w") + product + kLoad + extracts("<4 x float>", "v", "b", {0, 1, 2, 3})));
  EXPECT_NE(text.find("phi <4 x float> [ zeroinitializer, %entry ], [ %v, %loop ]"), std::string::npos) << text;
}

TEST(RejoinVectors, ScalesAreCarriedElementByElement) {
  std::string product =
      "  %scale = bitcast <4 x i8> %w to i32\n"
      "  %product = call <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32> "
      "zeroinitializer, <8 x i32> zeroinitializer, <4 x float> zeroinitializer, i32 0, i32 0, i32 0, "
      "i32 %scale, i32 0, i32 %scale)\n  store volatile <4 x float> %product, ptr %p\n"
      "  %v = load volatile <4 x i8>, ptr %p\n";
  std::string text =
      joined(loopOf(inserts("i8", "a", "w") + product + extracts("<4 x i8>", "v", "b", {0, 1, 2, 3}), "i8 [ 0"));
  EXPECT_NE(text.find("%a3 = phi i8"), std::string::npos) << text;
}

TEST(RejoinVectors, OthersAreCarriedElementByElement) {
  std::string text =
      joined(loopOf(inserts("float", "a", "w") + kStore + kLoad + extracts("<4 x float>", "v", "b", {0, 1, 2, 3})));
  EXPECT_NE(text.find("%a3 = phi float"), std::string::npos) << text;
}

TEST(RejoinVectors, ScaledSumsStayWhole) {
  std::string scaled;
  for (std::string i : {"0", "1", "2", "3"})
    scaled += "  %c" + i + " = fmul contract float %a" + i + ", %s\n";
  std::string rest = inserts("float", "c", "w") + kProduct + extracts("<4 x float>", "product", "b", {0, 1, 2, 3});
  std::string text = joined(loopOf(scaled + rest));
  EXPECT_NE(text.find("fmul contract <4 x float>"), std::string::npos) << text;
  EXPECT_NE(text.find("%0 = phi <4 x float> [ zeroinitializer, %entry ], [ %product, %loop ]\n"), std::string::npos)
      << text;
}

TEST(RejoinVectors, ElementsOfSumsMayBeScaledApart) {
  std::string scaled;
  for (std::string i : {"0", "1", "2", "3"})
    scaled += "  %c" + i + " = fmul contract float %a" + i + (i == "2" ? ", %t\n" : ", %s\n");
  std::string rest = inserts("float", "c", "w") + kProduct + extracts("<4 x float>", "product", "b", {0, 1, 2, 3});
  std::string text = joined(loopOf(scaled + rest));
  EXPECT_EQ(text.find("fmul contract <4 x float>"), std::string::npos) << text;
}

TEST(RejoinVectors, OnePhiInTwoPlacesIsCarriedOnce) {
  std::string trip = "  %w0 = insertelement <4 x float> poison, float %a0, i32 0\n"
                     "  %w1 = insertelement <4 x float> %w0, float %a0, i32 1\n"
                     "  %w2 = insertelement <4 x float> %w1, float %a2, i32 2\n"
                     "  %w = insertelement <4 x float> %w2, float %a3, i32 3\n" +
                     kProduct + extracts("<4 x float>", "product", "b", {0, 1, 2, 3});
  EXPECT_NE(joined(loopOf(trip)).find("%a0 = phi float"), std::string::npos);
}
