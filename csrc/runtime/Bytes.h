//===- Bytes.h - Serialization of values in native byte order ----------------------===//
#ifndef HOCKET_RUNTIME_BYTES_H
#define HOCKET_RUNTIME_BYTES_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hocket {

inline void appendNumber(std::string &out, uint64_t number) {
  out.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

/// Appends the length of `text`, then its characters.
inline void appendString(std::string &out, std::string_view text) {
  appendNumber(out, text.size());
  out.append(text);
}

/// Reads values from the front of a byte string; `ok` becomes false at the first value that is missing.
struct ByteReader {
  std::string_view rest;
  bool ok = true;

  uint64_t number() {
    uint64_t value = 0;
    std::string_view bytes = take(sizeof(value));
    if (ok)
      std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string_view take(uint64_t size) {
    if (size > rest.size()) {
      ok = false;
      return {};
    }
    std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  }
  std::string_view string() { return take(number()); }
};

} // namespace hocket

#endif
