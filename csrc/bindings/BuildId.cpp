//===- BuildId.cpp - Build id of the extension module ------------------------------===//
#include "bindings/BuildId.h"
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace hocket::bindings {

/// Hardening options with which this file and the whole module are compiled. tools/check_wheel.py searches the module
/// for this text.
[[gnu::used, gnu::retain]] static constexpr char kHardening[] = "hocket is compiled with:"
#ifdef __SSP_STRONG__
                                                                " -fstack-protector-strong"
#endif
#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE >= 2
                                                                " -D_FORTIFY_SOURCE=2"
#endif
#if defined(__CET__) && __CET__ == 3
                                                                " -fcf-protection=full"
#endif
    ;

/// State of a search for the build id of the loaded object that contains `address`.
namespace {
struct Search {
  uintptr_t address;
  std::string id;
};
} // namespace

static uintptr_t alignTo4(uintptr_t size) { return (size + 3) & ~uintptr_t(3); }

static std::string findInNotes(const char *notes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  size_t offset = 0;
  while (offset + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + offset, sizeof(header));
    const char *name = notes + offset + sizeof(header);
    const char *contents = name + alignTo4(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (size_t i = 0; i < header.n_descsz; ++i) {
        auto byte = static_cast<unsigned char>(contents[i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
      return id;
    }
    offset += sizeof(header) + alignTo4(header.n_namesz) + alignTo4(header.n_descsz);
  }
  return "";
}

static int visitObject(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool containsUs = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    containsUs |= segment.p_type == PT_LOAD && search.address >= begin && search.address < begin + segment.p_memsz;
  }
  if (!containsUs)
    return 0;
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      search.id = findInNotes(reinterpret_cast<const char *>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                              info->dlpi_phdr[i].p_memsz);
  return 1;
}

std::string buildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<uintptr_t>(&buildId), ""};
    dl_iterate_phdr(visitObject, &search);
    return search.id;
  }();
  return id;
}

} // namespace hocket::bindings
