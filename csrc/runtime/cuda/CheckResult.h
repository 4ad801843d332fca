//===- CheckResult.h - Converts CUDA error codes to exceptions ---------------------===//
#ifndef HOCKET_RUNTIME_CUDA_CHECKRESULT_H
#define HOCKET_RUNTIME_CUDA_CHECKRESULT_H

#include "third_party/cuda/Driver.h"
#include <string>

namespace hocket::cuda {

[[noreturn]] void throwResult(Result result, const std::string &doing);

/// Throws LaunchError "<doing> failed: <driver's message>" unless `result` is success.
inline void check(Result result, const char *doing) {
  if (result != kSuccess) [[unlikely]]
    throwResult(result, doing);
}

} // namespace hocket::cuda

#endif
