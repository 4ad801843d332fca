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
  std::string dtype;      ///< dtype in NumPy's spelling, "float32"; messages give offsets in elements of this type
  size_t bytesBefore = 0; ///< bytes of the array before `data`; not 0 for a view with negative strides
  /// Dimensions of an array with gaps between its elements; empty for other arrays.
  std::vector<ArrayDimension> dimensions = {};
};

/// The memory of an array among the arguments of a launch.
struct HostArray {
  size_t argument;          ///< index of the argument: the array's address, or the tensor map that describes it
  bool isDescribed = false; ///< the argument is a tensor map
  ArrayArgument memory;     ///< the array's memory; the name is empty
};

} // namespace hocket

#endif
