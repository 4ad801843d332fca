// RUN: hocket-opt %s | hocket-opt | FileCheck %s

// CHECK-LABEL: @barriers
func.func @barriers() {
  // CHECK: hk_nv.slot_barrier 2{{$}}
  hk_nv.slot_barrier 2
  // CHECK: hk_nv.slot_barrier 15 group = 0
  hk_nv.slot_barrier 15 group = 0
  // CHECK: hk_nv.slot_barrier 1 group = 1
  hk_nv.slot_barrier 1 group = 1
  // CHECK: hk_nv.begin_turn 14{{$}}
  hk_nv.begin_turn 14
  // CHECK: hk_nv.begin_turn 2 group = 0
  hk_nv.begin_turn 2 group = 0
  // CHECK: hk_nv.end_turn 1{{$}}
  hk_nv.end_turn 1
  // CHECK: hk_nv.end_turn 2 group = 1
  hk_nv.end_turn 2 group = 1
  return
}
