//===- DLPack.h - The part of the DLPack ABI that Hocket reads ---------------------===//
//
// The declarations follow the specification (dmlc.github.io/dlpack, version 1.3). A DLPack tensor describes the memory
// of an array. A Python type can have an exchange table of C functions, which describe an array of this type without a
// Python call.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_THIRD_PARTY_DLPACK_DLPACK_H
#define HOCKET_THIRD_PARTY_DLPACK_DLPACK_H

#include <cstdint>

namespace hocket::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kRocm = 10, kRocmHost = 11, kCudaManaged = 13 };

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E4m3fnuz = 11,
  kFloat8E5m2 = 12,
  kFloat8E5m2fnuz = 13,
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; ///< strides in elements; null for a compact row-major tensor
  uint64_t byteOffset;
};

/// Contents of a Python capsule with the name "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void *manager;
  void (*deleter)(ManagedTensor *);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

inline constexpr uint64_t kFlagReadOnly = 1;

/// Contents of a Python capsule with the name "dltensor_versioned".
struct ManagedTensorVersioned {
  Version version;
  void *manager;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

/// The exchange table of a Python type: the contents of the capsule "dlpack_exchange_api" in the type's attribute
/// `__dlpack_c_exchange_api__`. The functions of the table return 0, or set a Python exception and return -1. The table
/// is valid until the process ends.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous;
  void *managedTensorAllocator;
  void *managedTensorFromPyObject;
  void *managedTensorToPyObject;
  /// Describes `object` in `out` without a new reference to `object`. The function pointer can be null.
  int (*tensorFromPyObject)(void *object, Tensor *out);
  int (*currentWorkStream)(DeviceType type, int32_t deviceId, void **stream);
};

} // namespace hocket::dlpack

#endif
