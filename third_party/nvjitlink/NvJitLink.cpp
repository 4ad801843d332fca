//===- NvJitLink.cpp - Finds nvJitLink's functions --------------------------------===//
#include "third_party/nvjitlink/NvJitLink.h"
#include <algorithm>
#include <vector>

namespace hocket {

/// Sets `function` to the function `name` of nvJitLink. The library exports functions under versioned names such as
/// "__nvJitLinkCreate_12_0", to which NVIDIA's header maps the unversioned names. Every library of major version x
/// exports the names of version x.0.
template <typename Function>
static bool findVersioned(const SharedLibrary &library, Function *&function, const char *name, int major) {
  return library.find(function, ("__" + std::string(name) + "_" + std::to_string(major) + "_0").c_str());
}

static bool findAll(NvJitLink &api, int major) {
  findVersioned(api.library, api.version, "nvJitLinkVersion", major) ||
      api.library.find(api.version, "nvJitLinkVersion");
  return findVersioned(api.library, api.create, "nvJitLinkCreate", major) &&
         findVersioned(api.library, api.destroy, "nvJitLinkDestroy", major) &&
         findVersioned(api.library, api.addData, "nvJitLinkAddData", major) &&
         findVersioned(api.library, api.complete, "nvJitLinkComplete", major) &&
         findVersioned(api.library, api.getLinkedCubinSize, "nvJitLinkGetLinkedCubinSize", major) &&
         findVersioned(api.library, api.getLinkedCubin, "nvJitLinkGetLinkedCubin", major) &&
         findVersioned(api.library, api.getErrorLogSize, "nvJitLinkGetErrorLogSize", major) &&
         findVersioned(api.library, api.getErrorLog, "nvJitLinkGetErrorLog", major);
}

std::unique_ptr<NvJitLink> NvJitLink::load(std::span<const std::string> folders, int newestMajor) {
  for (int major = std::min(newestMajor, kNewestMajor); major >= kOldestMajor; --major) {
    std::string soname = "libnvJitLink.so." + std::to_string(major);
    std::vector<std::string> candidates;
    for (const std::string &folder : folders)
      candidates.push_back(folder + "/" + soname);
    candidates.push_back(soname);

    auto api = std::make_unique<NvJitLink>();
    api->library = SharedLibrary::openFirst(candidates);
    if (api->library && findAll(*api, major))
      return api;
  }
  return nullptr;
}

} // namespace hocket
