// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

// The loop header is in the stage that both of its edges come from; a barrier belongs to the stage that it ends. After
// the pipeline there is no stage, and none is recorded for a block with predecessors in different stages.

// CHECK-DAG: #[[BEFORE:loc[0-9]*]] = loc("k.py":1:1)
// CHECK-DAG: #[[INLOAD:loc[0-9]*]] = loc("k.py":2:1)
// CHECK-DAG: #[[LOAD:loc[0-9]*]] = loc("k.py":3:1)
// CHECK-DAG: #[[COMPUTE:loc[0-9]*]] = loc("k.py":4:1)
// CHECK-DAG: #[[EITHER:loc[0-9]*]] = loc("k.py":5:1)
// CHECK-DAG: #[[AFTER:loc[0-9]*]] = loc("k.py":6:1)
// CHECK:      hocket.sites = [{kind = "barrier", loc = #[[BEFORE]]},
// CHECK-SAME:   {kind = "barrier", loc = #[[INLOAD]], stage = "load"},
// CHECK-SAME:   {kind = "barrier", loc = #[[LOAD]], stage = "load"},
// CHECK-SAME:   {kind = "barrier", loc = #[[COMPUTE]], stage = "compute"},
// CHECK-SAME:   {kind = "barrier", loc = #[[EITHER]]},
// CHECK-SAME:   {kind = "barrier", loc = #[[AFTER]]}]
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
llvm.func @pipeline(%c: i1) attributes {rocdl.kernel} {
  rocdl.s.barrier loc("k.py":1:1)
  rocdl.sched.barrier 0 {lane.stage = "load"}
  llvm.br ^loop
^loop:
  llvm.cond_br %c, ^extra, ^rest
^extra:
  rocdl.s.barrier loc("k.py":2:1)
  llvm.br ^rest
^rest:
  rocdl.sched.barrier 0
  rocdl.s.barrier loc("k.py":3:1)
  rocdl.sched.barrier 0 {lane.stage = "compute"}
  llvm.cond_br %c, ^again, ^either
^again:
  rocdl.sched.barrier 0
  rocdl.s.barrier loc("k.py":4:1)
  rocdl.sched.barrier 0 {lane.stage = "load"}
  llvm.cond_br %c, ^loop, ^either
^either:
  rocdl.s.barrier loc("k.py":5:1)
  rocdl.sched.barrier 0 {lane.stage = ""}
  rocdl.s.barrier loc("k.py":6:1)
  llvm.return
}
}
