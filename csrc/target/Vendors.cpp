//===- Vendors.cpp - The table of vendors -----------------------------------------===//
#include "target/Vendors.h"

#include <algorithm>

namespace hocket {

static constexpr VendorInfo kVendors[] = {
    {.vendor = Vendor::Nvidia,
     .name = "nvidia",
     .label = "NVIDIA",
     .triple = "nvptx64-nvidia-cuda",
     .stackAddressSpace = 0},
    {.vendor = Vendor::Amd, .name = "amd", .label = "AMD", .triple = "amdgcn-amd-amdhsa", .stackAddressSpace = 5},
};

std::span<const VendorInfo> allVendors() { return kVendors; }

const VendorInfo &infoOf(Vendor vendor) { return *std::ranges::find(kVendors, vendor, &VendorInfo::vendor); }

} // namespace hocket
