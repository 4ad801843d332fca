//===- LaunchError.h - A kernel that cannot be launched ----------------------------===//
#ifndef HOCKET_RUNTIME_LAUNCHERROR_H
#define HOCKET_RUNTIME_LAUNCHERROR_H

#include <stdexcept>

namespace hocket {

/// A mistake in a launch, or a device that refuses. Python sees hocket.LaunchError.
class LaunchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The kernel needs more than a block may have on the device. Python sees hocket.OutOfResources.
class OutOfResources : public LaunchError {
  using LaunchError::LaunchError;
};

} // namespace hocket

#endif
