// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

#local = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">
#global = #llvm.mmra_tag<"amdgpu-synchronize-as":"global">
module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
llvm.func @fences() attributes {rocdl.kernel} {
  // A fence of shared memory only becomes a call of the runtime, without a fence instruction.
  // CHECK: %[[RELEASES:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK: llvm.call @hocket_emulator_fence(%{{.*}}, %[[RELEASES]])
  // CHECK-NOT: llvm.fence
  llvm.fence syncscope("workgroup") release {llvm.mmra = #local}
  // A fence of all memory becomes both.
  // CHECK: %[[ACQUIRES:.*]] = llvm.mlir.constant(14 : i32)
  // CHECK: llvm.call @hocket_emulator_fence(%{{.*}}, %[[ACQUIRES]])
  // CHECK: llvm.fence acquire
  llvm.fence syncscope("workgroup") acquire
  // CHECK: %[[BOTH:.*]] = llvm.mlir.constant(15 : i32)
  // CHECK: llvm.call @hocket_emulator_fence(%{{.*}}, %[[BOTH]])
  // CHECK: llvm.fence acq_rel
  llvm.fence acq_rel {llvm.mmra = [#local, #global]}
  // CHECK: %[[GLOBAL:.*]] = llvm.mlir.constant(9 : i32)
  // CHECK: llvm.call @hocket_emulator_fence(%{{.*}}, %[[GLOBAL]])
  // CHECK: llvm.fence release
  llvm.fence syncscope("agent") release {llvm.mmra = #global}
  // A fence of wave scope does not order the warps of a block.
  // CHECK-NOT: llvm.call @hocket_emulator_fence
  // CHECK: llvm.fence acquire
  llvm.fence syncscope("wavefront") acquire
  llvm.return
}
}
