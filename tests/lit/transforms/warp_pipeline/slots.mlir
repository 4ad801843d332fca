// RUN: hocket-opt %s --hocket-warp-pipeline-lowering \
// RUN:   | FileCheck %s '--implicit-check-not=hk.stage "' --implicit-check-not=hk.pipelined
//
// A pipeline of N stages has N barriers per iteration, each between two scheduling barriers, and one extra barrier per
// group.

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// CHECK-LABEL: @stages_2
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_2(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_3
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_3(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_4
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "3"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_4(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_5
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "3"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "4"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_5(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
    hk.stage "4" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_6
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "3"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "4"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "5"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_6(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
    hk.stage "4" {
    }
    hk.stage "5" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_7
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "3"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "4"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "5"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "6"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_7(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
    hk.stage "4" {
    }
    hk.stage "5" {
    }
    hk.stage "6" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
// CHECK-LABEL: @stages_8
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: scf.for
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "1"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "2"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "3"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "4"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "5"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "6"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "7"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "0"
// CHECK-NEXT: }
// CHECK: group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @stages_8(%n: i32, %m: i32, %s: i32) {
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "0" {
    }
    hk.stage "1" {
    }
    hk.stage "2" {
    }
    hk.stage "3" {
    }
    hk.stage "4" {
    }
    hk.stage "5" {
    }
    hk.stage "6" {
    }
    hk.stage "7" {
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
