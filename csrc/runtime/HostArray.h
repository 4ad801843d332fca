//===- HostArray.h - Host memory that an emulated kernel may access ----------------===//
#ifndef HOCKET_RUNTIME_HOSTARRAY_H
#define HOCKET_RUNTIME_HOSTARRAY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hocket {

struct ArrayDimension {
  int64_t size, strideBytes;
};

/// Memory that a kernel may access through a pointer argument.
struct ArrayArgument {
  std::string name; ///< name of the kernel's parameter, for messages
  void *data = nullptr;
  size_t bytes = 0;
  bool writable = true;
  std::string dtype; ///< dtype in NumPy's spelling, "float32"; messages give offsets in elements of this type
  /// Number of bytes of the array that lie before `data`; not 0 for a view with negative strides.
  size_t bytesBefore = 0;
  /// Dimensions of an array with gaps between its elements; empty for other arrays.
  std::vector<ArrayDimension> dimensions = {};
};

/// An array that is an argument of a launch.
struct HostArray {
  size_t argument;          ///< index of the argument, which is the array's address or a tensor map of the array
  bool isDescribed = false; ///< true if the argument is a tensor map
  ArrayArgument memory;     ///< memory of the array; `memory.name` is empty
};

} // namespace hocket

#endif
