// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @turn
// CHECK-DAG: %[[COUNT:.+]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[ID:.+]] = llvm.mlir.constant(3 : i32)
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[COUNT]]
// CHECK-DAG: %[[COUNT:.+]] = llvm.mlir.constant(384 : i32)
// CHECK-DAG: %[[ID:.+]] = llvm.mlir.constant(4 : i32)
// CHECK: nvvm.barrier.arrive id = %[[ID]] number_of_threads = %[[COUNT]]
func.func public @turn() attributes {hk.kernel} {
  hk_nv.named_barrier_wait 0 num_warps = 8 number = 3
  hk_nv.named_barrier_arrive 1 num_warps = 12 number = 4
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @not_numbered() attributes {hk.kernel} {
  // expected-error @below {{'hk_nv.named_barrier_wait' op has no number; run hocket-number-barriers before hocket-convert-hk-to-lane}}
  hk_nv.named_barrier_wait 0 num_warps = 8
  return
}
}
