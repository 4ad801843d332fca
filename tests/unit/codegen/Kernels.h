//===- Kernels.h - LLVM IR of kernels, and their assembly -------------------------===//
#ifndef HOCKET_TESTS_UNIT_CODEGEN_KERNELS_H
#define HOCKET_TESTS_UNIT_CODEGEN_KERNELS_H

#include "codegen/Codegen.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

namespace hocket::test {

/// One block of 128 lanes with 4 elements each: out[i] = x[i] + y[i] for i < n, 128-bit accesses.
inline std::string vectorAddIr(bool nvidia) {
  std::string lane = nvidia ? "llvm.nvvm.read.ptx.sreg.tid.x" : "llvm.amdgcn.workitem.id.x";
  std::string block = nvidia ? "llvm.nvvm.read.ptx.sreg.ctaid.x" : "llvm.amdgcn.workgroup.id.x";
  std::string convention = nvidia ? "ptx_kernel" : "amdgpu_kernel";
  return "define " + convention + R"( void @add(ptr addrspace(1) align 16 %x, ptr addrspace(1) align 16 %y,
                       ptr addrspace(1) align 16 %out, i32 %n) #0 {
  %lane = call i32 @)" +
         lane + R"(()
  %block = call i32 @)" +
         block + R"(()
  %base = mul i32 %block, 512
  %first = mul i32 %lane, 4
  %i = add i32 %base, %first
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %xp = getelementptr float, ptr addrspace(1) %x, i32 %i
  %yp = getelementptr float, ptr addrspace(1) %y, i32 %i
  %op = getelementptr float, ptr addrspace(1) %out, i32 %i
  %xv = load <4 x float>, ptr addrspace(1) %xp, align 16
  %yv = load <4 x float>, ptr addrspace(1) %yp, align 16
  %sum = fadd <4 x float> %xv, %yv
  store <4 x float> %sum, ptr addrspace(1) %op, align 16
  br label %exit
exit:
  ret void
}
declare i32 @)" +
         lane + R"(()
declare i32 @)" +
         block + R"(()
attributes #0 = { )" +
         (nvidia ? R"("nvvm.maxntid"="128,1,1")" : R"("amdgpu-flat-work-group-size"="128,128")") + " }\n";
}

inline std::unique_ptr<llvm::Module> parse(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

/// Returns the assembly text of a module for `target`, compiled without `skippedPasses`; "" if compilation fails.
inline std::string assemblyOf(const std::string &ir, const std::string &target,
                              std::vector<std::string> skippedPasses = {}) {
  llvm::LLVMContext context;
  auto module = parse(ir, context);
  CodegenOptions options{.target = target, .skippedPasses = std::move(skippedPasses)};
  if (llvm::Error error = optimize(*module, options)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return "";
  }
  auto text = emitAssembly(*module, options);
  if (!text) {
    ADD_FAILURE() << llvm::toString(text.takeError());
    return "";
  }
  return *text;
}

/// Returns exp2 of the first `count` elements of `vector`, which has `size` elements, as %`name`.
inline std::string exponentials(const std::string &vector, int size, int count, const std::string &name) {
  std::string text, type = "<" + std::to_string(size) + " x float>", whole = "poison";
  for (int i = 0; i < count; ++i) {
    std::string n = name + std::to_string(i), index = std::to_string(i);
    text += "  %e" + n + " = extractelement " + type + " %" + vector + ", i32 " + index + "\n  %x" + n +
            " = call float @llvm.amdgcn.exp2.f32(float %e" + n + ")\n  %" + n + " = insertelement " + type + " " +
            whole + ", float %x" + n + ", i32 " + index + "\n";
    whole = "%" + n;
  }
  return text;
}

} // namespace hocket::test

#endif
