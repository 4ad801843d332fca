//===- LaunchError.h - Errors of launches ------------------------------------------===//
#ifndef HOCKET_RUNTIME_LAUNCHERROR_H
#define HOCKET_RUNTIME_LAUNCHERROR_H

#include <stdexcept>

namespace hocket {

/// An error in a launch, or a device that rejects it. Python's hocket.LaunchError.
class LaunchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The kernel needs more than a block may have on the device. Python's hocket.OutOfResources.
class OutOfResources : public LaunchError {
  using LaunchError::LaunchError;
};

} // namespace hocket

#endif
