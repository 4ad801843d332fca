// RUN: hocket-opt %s --hocket-convert-hk-to-lane --split-input-file | FileCheck %s

// Groups of copies are lowered alike for every vendor.

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @amd
func.func public @amd() attributes {hk.kernel} {
  // CHECK: lane.async_commit_group
  // CHECK-NEXT: lane.async_wait_group {outstanding = 2 : i32}
  hk.async_commit_group
  hk.async_wait_group {outstanding = 2 : i32}
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @nvidia
func.func public @nvidia() attributes {hk.kernel} {
  // CHECK: lane.async_commit_group
  // CHECK-NEXT: lane.async_wait_group {outstanding = 0 : i32}
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  return
}
}
