//===- TestKernel.h - Kernels written as lane form, for tests -------------------------------===//
#ifndef HOCKET_TESTS_UNIT_EMULATOR_TESTKERNEL_H
#define HOCKET_TESTS_UNIT_EMULATOR_TESTKERNEL_H

#include "emulator/Emulator.h"

#include <memory>
#include <string>
#include <vector>

namespace hocket {

struct TestKernel {
  std::string target = "sm_90a";
  int numWarps = 1;
  int sharedBytes = 0;
  std::string parameters; ///< "%x: !llvm.ptr<1>, %n: i32"
  std::string body;       ///< operations of the function, without the return
  std::string globals = "";
  std::string buffers = ""; ///< buffers in shared memory: hk.buffers

  std::string text() const;
};

/// Compiles the kernel, or fails the test with the error.
std::unique_ptr<EmulatedKernel> compile(const TestKernel &kernel);
/// Returns the error of a kernel that does not compile.
std::string compileError(const TestKernel &kernel);

template <typename T>
Argument array(std::string name, std::vector<T> &data, std::string dtype) {
  return ArrayArgument{std::move(name), data.data(), data.size() * sizeof(T), true, std::move(dtype)};
}
inline Argument scalar(uint64_t bits) { return ScalarArgument{bits}; }

/// Returns the text of `result`'s failure, or "ok"; addresses are replaced by "ADDRESS".
std::string textOf(const LaunchResult &result);

} // namespace hocket

#endif
