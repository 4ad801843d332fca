//===- CodegenTest.cpp - LLVM IR becomes PTX, ISA text and code objects -----------===//
#include "codegen/Codegen.h"
#include "Kernels.h"
#include "codegen/TemporaryFolder.h"
#include "codegen/llvm/LlvmErrors.h"
#include "support/CompileError.h"
#include "llvm/Support/FileSystem.h"
#include <sys/stat.h>
#include <thread>

// The module that LLVM works on at a fatal error is leaked by design (codegen/llvm/LlvmErrors.h).
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
using IgnoredLeaks = __lsan::ScopedDisabler;
#else
struct [[maybe_unused]] IgnoredLeaks {};
#endif

using namespace hocket;
using namespace hocket::test;

static std::string compileToAssembly(const std::string &target, bool nvidia) {
  return assemblyOf(vectorAddIr(nvidia), target);
}

TEST(EmitAssembly, PtxHasTheTargetAndWideAccesses) {
  for (std::string target : {"sm_80", "sm_90a"}) {
    std::string ptx = compileToAssembly(target, true);
    EXPECT_NE(ptx.find(".target " + target), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("ld.global.v4.b32"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("st.global.v4.b32"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find(".visible .entry add"), std::string::npos) << ptx;
  }
}

TEST(EmitAssembly, AmdIsaHasTheTargetAndWideAccesses) {
  for (std::string target : {"gfx942", "gfx950"}) {
    std::string isa = compileToAssembly(target, false);
    EXPECT_NE(isa.find("amdgcn-amd-amdhsa--" + target), std::string::npos) << isa;
    EXPECT_NE(isa.find("global_load_dwordx4"), std::string::npos) << isa;
    EXPECT_NE(isa.find("global_store_dwordx4"), std::string::npos) << isa;
  }
}

TEST(EmitAssembly, UnknownTargetIsAnError) {
  llvm::LLVMContext context;
  auto module = parse(vectorAddIr(true), context);
  auto error = optimize(*module, {.target = "sm_1"});
  EXPECT_EQ(llvm::toString(std::move(error)), "unknown target 'sm_1'");
}

namespace {
/// A module whose calling convention AMD's back end does not support, and its context.
struct Refused {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module = parse("define ptx_kernel void @add() { ret void }", *context);
};
} // namespace

TEST(LlvmErrors, AFatalErrorOfTheBackEndIsReturned) {
  [[maybe_unused]] IgnoredLeaks lost;
  for (int i = 0; i < 2; ++i) { // the state that the first run leaves does not affect the second
    Refused refused;
    CodegenOptions options{.target = "gfx950"};
    ASSERT_FALSE(bool(optimize(*refused.module, options)));
    auto text = emitAssembly(*refused.module, options);
    ASSERT_FALSE(bool(text));
    llvm::Error error = giveUpIfStopped(text.takeError(), refused.module, refused.context);
    EXPECT_TRUE(error.isA<LlvmStopped>());
    EXPECT_EQ(refused.context, nullptr);
    EXPECT_EQ(llvm::toString(std::move(error)), "LLVM cannot compile the kernel: unsupported calling convention");
  }
  EXPECT_NE(compileToAssembly("gfx950", false), "") << "the thread can compile what comes next";
}

TEST(LlvmErrors, WhatLlvmReportsIsReturned) {
  llvm::LLVMContext context;
  bool wentOn = false;
  llvm::Error error = runLlvm(context, [&] {
    context.emitError("first");
    context.emitError("second");
    wentOn = true;
  });
  EXPECT_TRUE(wentOn);
  EXPECT_FALSE(error.isA<LlvmStopped>());
  EXPECT_EQ(llvm::toString(std::move(error)), "LLVM cannot compile the kernel: first\nsecond");
}

TEST(LlvmErrors, AnInnerOneIsNotTheOuterOnes) {
  llvm::LLVMContext context;
  std::string inner;
  llvm::Error outer = runLlvm(context, [&] {
    inner = llvm::toString(runLlvm(context, [] { llvm::report_fatal_error("inside"); }));
    llvm::report_fatal_error("outside");
  });
  EXPECT_EQ(inner, "LLVM cannot compile the kernel: inside");
  EXPECT_EQ(llvm::toString(std::move(outer)), "LLVM cannot compile the kernel: outside");
}

TEST(LlvmErrors, AFatalErrorOutsideIsThrown) {
  throwFatalErrors();
  try {
    llvm::report_fatal_error("nowhere");
    FAIL() << "report_fatal_error returned";
  } catch (const InternalError &error) {
    EXPECT_STREQ(error.what(), "internal error: LLVM ERROR: nowhere");
  }
}

TEST(EmitCodeObject, IsAnElfThatHoldsTheKernel) {
  for (std::string target : {"gfx942", "gfx950"}) {
    auto object = emitCodeObject(compileToAssembly(target, false), {.target = target});
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    EXPECT_EQ(object->substr(0, 4), "\x7f"
                                    "ELF");
    EXPECT_NE(object->find("add.kd"), std::string::npos) << "the kernel descriptor is exported";
  }
}

TEST(EmitCodeObject, AssemblerErrorsCarryTheLine) {
  auto object = emitCodeObject("s_nonsense s0, s1\n", {.target = "gfx950"});
  ASSERT_FALSE(bool(object));
  std::string text = llvm::toString(object.takeError());
  EXPECT_NE(text.find("kernel.s:1:1: error: invalid instruction"), std::string::npos) << text;
}

TEST(EmitCodeObject, SaysWhichFolderTakesNoTemporaryFiles) {
  setenv("TMPDIR", "/nonexistent", 1);
  auto object = emitCodeObject(compileToAssembly("gfx950", false), {.target = "gfx950"});
  unsetenv("TMPDIR");
  ASSERT_FALSE(bool(object));
  EXPECT_EQ(llvm::toString(object.takeError()),
            "cannot create a folder for temporary files in /nonexistent (set TMPDIR to another one)");
}

// Other users must not be able to read the files of a killed process, with any umask.
TEST(TemporaryFolder, IsForTheUserAloneAndRemoved) {
  mode_t before = umask(0);
  std::string path;
  {
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(bool(folder));
    ASSERT_FALSE(bool(folder->write("a", "text")));
    EXPECT_EQ(llvm::cantFail(folder->read("a")), "text");
    path = folder->pathOf("");
    struct stat facts;
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
  }
  umask(before);
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

// lld keeps its state in globals: code objects that are made at the same time must queue.
TEST(EmitCodeObject, WorksFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      auto object = emitCodeObject(compileToAssembly("gfx950", false), {.target = "gfx950"});
      EXPECT_TRUE(bool(object));
      llvm::consumeError(object.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
}
