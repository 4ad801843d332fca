//===- LaunchError.h - Errors of launches ------------------------------------------===//
#ifndef HOCKET_RUNTIME_LAUNCHERROR_H
#define HOCKET_RUNTIME_LAUNCHERROR_H

#include <stdexcept>

namespace hocket {

/// Thrown if a launch has invalid arguments, or if the driver reports an error. Python code receives this exception as
/// hocket.LaunchError.
class LaunchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown if the kernel needs more resources than the device gives to one block. Python code receives this exception as
/// hocket.OutOfResources.
class OutOfResources : public LaunchError {
  using LaunchError::LaunchError;
};

} // namespace hocket

#endif
