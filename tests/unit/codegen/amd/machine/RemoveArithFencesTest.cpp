//===- RemoveArithFencesTest.cpp - ARITH_FENCE becomes COPY, which LLVM can give a vector register ---------------===//
#include "../../Kernels.h"
#include "llvm/ADT/StringExtras.h"

using namespace hocket;
using namespace hocket::test;

/// Returns a kernel that converts %x to an integer, after a fence, as in the lowering of lane.float_to_int. `operand`
/// computes %x from the kernel's argument %a or from the lane.
static std::string conversionOf(const std::string &operand, const std::string &type = "float") {
  return "declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "define amdgpu_kernel void @f(ptr addrspace(1) %p, float %a, i32 %i) "
         "\"amdgpu-flat-work-group-size\"=\"64,64\" {\n" +
         operand + "  %hidden = call " + type + " @llvm.arithmetic.fence.f" + (type == "float" ? "32" : "64") + "(" +
         type + " %x)\n  %n = fptosi " + type +
         " %hidden to i32\n  store volatile i32 %n, ptr addrspace(1) %p\n  ret void\n}\n";
}

static const std::string kUniform = "  %x = fmul float %a, 3.0\n";

TEST(RemoveArithFences, AnOperandThatIsEqualInAllLanesIsCopied) {
  for (const char *target : {"gfx942", "gfx950"}) {
    std::string code = assemblyOf(conversionOf(kUniform), target);
    EXPECT_NE(code.find("v_mul_f32"), std::string::npos) << code;
    EXPECT_NE(code.find("v_cvt_i32_f32"), std::string::npos) << code;
    EXPECT_EQ(code.find("ARITH_FENCE"), std::string::npos) << code;
  }
}

/// LLVM gives the operand a scalar register, although a VALU instruction computes it.
TEST(RemoveArithFences, LlvmRejectsTheFenceOfSuchAnOperand) {
  llvm::LLVMContext context;
  auto module = parse(conversionOf(kUniform), context);
  CodegenOptions options{.target = "gfx942", .skippedPasses = {"remove-arith-fences"}};
  if (llvm::Error error = optimize(*module, options))
    FAIL() << llvm::toString(std::move(error));
  auto text = emitAssembly(*module, options);
  ASSERT_FALSE(text) << *text;
  std::string message = llvm::toString(text.takeError());
  EXPECT_NE(message.find("illegal VGPR to SGPR copy"), std::string::npos) << message;
}

TEST(RemoveArithFences, AnOperandThatDiffersBetweenLanes) {
  std::string lane = "  %l = call i32 @llvm.amdgcn.workitem.id.x()\n  %x = bitcast i32 %l to float\n";
  std::string code = assemblyOf(conversionOf(lane), "gfx942");
  EXPECT_EQ(code.find("ARITH_FENCE"), std::string::npos) << code;
  EXPECT_NE(assemblyOf(conversionOf(lane), "gfx942", {"remove-arith-fences"}).find("ARITH_FENCE"), std::string::npos);
}

TEST(RemoveArithFences, OperandsOfTwoRegisters) {
  std::string code =
      assemblyOf(conversionOf("  %d = fpext float %a to double\n  %x = fmul double %d, 3.0\n", "double"), "gfx942");
  EXPECT_NE(code.find("v_cvt_i32_f64"), std::string::npos) << code;
  EXPECT_EQ(code.find("ARITH_FENCE"), std::string::npos) << code;
}

/// Without the fence, LLVM folds a conversion to float and back into the integer, which differs for integers that float
/// cannot represent.
TEST(RemoveArithFences, TheOperandStaysHiddenFromOptimizations) {
  std::string code = assemblyOf(conversionOf("  %x = sitofp i32 %i to float\n"), "gfx942");
  EXPECT_NE(code.find("v_cvt_f32_i32"), std::string::npos) << code;
  EXPECT_NE(code.find("v_cvt_i32_f32"), std::string::npos) << code;
}

TEST(RemoveArithFences, TheMachineVerifierAcceptsTheResult) {
  setMachineVerifier(true);
  std::string verified = assemblyOf(conversionOf(kUniform), "gfx942");
  setMachineVerifier(false);
  EXPECT_EQ(verified, assemblyOf(conversionOf(kUniform), "gfx942"));
}
