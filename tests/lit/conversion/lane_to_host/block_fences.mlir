// RUN: hocket-opt --hocket-convert-lane-to-host %s | FileCheck %s

// A fence of device scope may order blocks around relaxed atomic accesses; this concerns global memory only.

// CHECK: hocket.sites = [{argument = 0 : i32, bytes = 4 : i32, fenced, kind = "atomic", loc = #loc{{[0-9]*}}}]
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 0 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
// CHECK-SAME: %[[LANE:.*]]: !llvm.ptr, %
llvm.func @kernel(%x: !llvm.ptr<1>, %n: i32) attributes {rocdl.kernel} {
  // CHECK: %[[RELEASES:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @hocket_emulator_blockFence(%[[LANE]], %[[RELEASES]])
  llvm.fence syncscope("agent") release
  // CHECK: llvm.atomicrmw add %{{.*}} monotonic
  // CHECK: llvm.call @hocket_emulator_ordered(%[[LANE]]
  %old = lane.atomic_rmw add relaxed gpu, %x, %n : !llvm.ptr<1>, i32
  // CHECK: %[[ACQUIRES:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @hocket_emulator_blockFence(%[[LANE]], %[[ACQUIRES]])
  llvm.fence syncscope("agent") acquire
  // CHECK-NOT: hocket_emulator_blockFence
  llvm.fence syncscope("workgroup") release
  llvm.fence syncscope("agent") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
  llvm.return
}
}
