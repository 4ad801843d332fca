// RUN: hocket-opt %s --hocket-lane-pipeline | FileCheck %s

// Warps of a partition synchronize at its own barrier; a partition of one warp needs none.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.worker_warps = 3 : i32} {
// CHECK-LABEL: llvm.func @two_warps
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK-NOT: nvvm.bar.warp.sync
func.func private @two_warps() attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 2, barrier = 2>} {
  hk.barrier
  return
}

// CHECK-LABEL: llvm.func @one_warp
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.bar.warp.sync
func.func private @one_warp() attributes {hk.partition = #hk.partition<first_warp = 6, num_warps = 1, barrier = 3>} {
  hk.barrier
  return
}
}
