// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

#local = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @barriers(%x: i32, %p: !llvm.ptr<1>) attributes {rocdl.kernel} {
  // Adjacent fences are merged into the barrier; arithmetic between them does not matter.
  // CHECK: %[[BEFORE:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK-NOT: llvm.call @hocket_emulator_fence
  // CHECK: %[[AFTER:.*]] = llvm.mlir.constant(6 : i32)
  // CHECK: llvm.call @hocket_emulator_barrier({{.*}}, %[[BEFORE]], %[[AFTER]])
  llvm.fence syncscope("workgroup") release {llvm.mmra = #local}
  %y = llvm.mul %x, %x : i32
  rocdl.s.barrier
  %z = llvm.add %x, %y : i32
  llvm.fence syncscope("workgroup") acquire {llvm.mmra = #local}
  // A fence with an access between it and the barrier stays.
  // CHECK: llvm.call @hocket_emulator_fence
  // CHECK: llvm.call @hocket_emulator_global
  // CHECK-COUNT-2: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant({{.*}} : i32)
  // CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[NEITHER:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @hocket_emulator_barrier({{.*}}, %[[NONE]], %[[NEITHER]])
  llvm.fence syncscope("workgroup") release {llvm.mmra = #local}
  lane.store %p, %z : !llvm.ptr<1>, i32
  rocdl.s.barrier
  // rocdl.barrier contains fences of all memory.
  // CHECK: %[[RELEASES:.*]] = llvm.mlir.constant(13 : i32)
  // CHECK: %[[ACQUIRES:.*]] = llvm.mlir.constant(14 : i32)
  // CHECK: llvm.call @hocket_emulator_barrier({{.*}}, %[[RELEASES]], %[[ACQUIRES]])
  rocdl.barrier
  // A wait for copies is merged, too, because the whole warp has arrived. Checks between them do not matter.
  // CHECK: %[[AT_BARRIER:.*]] = llvm.mlir.constant(true) : i1
  // CHECK: llvm.call @hocket_emulator_waitForCopies({{.*}}, %[[AT_BARRIER]])
  // CHECK-NOT: llvm.call @hocket_emulator_fence
  // CHECK: llvm.call @hocket_emulator_barrier
  lane.async_wait_group {outstanding = 1 : i32}
  %positive = llvm.icmp "sgt" %x, %y : i32
  lane.assert %positive, "x > y"
  llvm.fence syncscope("workgroup") release {llvm.mmra = #local}
  rocdl.s.barrier
  // An access in between may depend on the wait.
  // CHECK: %[[ON_ITS_OWN:.*]] = llvm.mlir.constant(false) : i1
  // CHECK: llvm.call @hocket_emulator_waitForCopies({{.*}}, %[[ON_ITS_OWN]])
  lane.async_wait_group {outstanding = 0 : i32}
  lane.store %p, %z : !llvm.ptr<1>, i32
  rocdl.s.barrier
  llvm.return
}
}
