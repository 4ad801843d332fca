// RUN: hocket-opt %s | hocket-opt | FileCheck %s

// CHECK-LABEL: @barriers
func.func @barriers() {
  // CHECK: hk_nv.named_barrier_arrive 0 num_warps = 8{{$}}
  hk_nv.named_barrier_arrive 0 num_warps = 8
  // CHECK: hk_nv.named_barrier_arrive 2 num_warps = 12 number = 15
  hk_nv.named_barrier_arrive 2 num_warps = 12 number = 15
  // CHECK: hk_nv.named_barrier_wait 1 num_warps = 1{{$}}
  hk_nv.named_barrier_wait 1 num_warps = 1
  // CHECK: hk_nv.named_barrier_wait 0 num_warps = 8 number = 1
  hk_nv.named_barrier_wait 0 num_warps = 8 number = 1
  return
}
