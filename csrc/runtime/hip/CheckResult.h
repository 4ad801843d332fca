//===- CheckResult.h - Converts HIP error codes to exceptions ----------------------===//
#ifndef HOCKET_RUNTIME_HIP_CHECKRESULT_H
#define HOCKET_RUNTIME_HIP_CHECKRESULT_H

#include "third_party/hip/Driver.h"
#include <string>

namespace hocket::hip {

[[noreturn]] void throwResult(Result result, const std::string &doing);

/// Throws LaunchError "<doing> failed: <HIP's message>" unless `result` is success.
inline void check(Result result, const char *doing) {
  if (result != kSuccess) [[unlikely]]
    throwResult(result, doing);
}

} // namespace hocket::hip

#endif
