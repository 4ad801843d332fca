// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @ops(%v: f32, %n: i32, %c: i1) attributes {rocdl.kernel} {
  // CHECK: %[[THREAD:.*]] = llvm.getelementptr inbounds %[[LANE]][16]
  // CHECK: llvm.load %[[THREAD]] : !llvm.ptr -> i32
  %tid = rocdl.workitem.id.x : i32
  // CHECK: %[[NX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: llvm.zext %[[NX]] : i32 to i64
  %blocks = rocdl.grid.dim.x : i64
  // CHECK: llvm.intr.ctpop
  %lo = rocdl.mbcnt.lo %n, %n : (i32, i32) -> i32
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]]
  %0 = rocdl.ds_bpermute %n, %n : (i32, i32) -> i32
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]]
  %1 = rocdl.ds_swizzle %n, %n : (i32, i32) -> i32
  // Control 0x111, rows 0xa, banks 0xf, bound control: 0x1fa0111.
  // CHECK: %[[CONTROL:.*]] = llvm.mlir.constant(33161489 : i64)
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]], %{{.*}}, %{{.*}}, %{{.*}}, %[[CONTROL]]
  %2 = rocdl.update.dpp %v, %v with 273, 10, 15, true : f32
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]]
  %3 = rocdl.readlane %v, %n : (f32, i32) -> f32
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]]
  %4 = rocdl.ballot %c : i64
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]]
  // CHECK: llvm.insertvalue
  %5 = rocdl.permlane32.swap %n, %n, false, false : (i32, i32) -> !llvm.struct<(i32, i32)>
  // CHECK: llvm.fence release{{$}}
  llvm.fence syncscope("workgroup") release
  // CHECK: llvm.call @hocket_emulator_barrier(%[[LANE]]
  rocdl.s.barrier
  // CHECK-NOT: rocdl
  rocdl.s.waitcnt 0
  rocdl.sched.barrier 0
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @hocket_emulator_priority(%[[LANE]], %[[ONE]])
  rocdl.s.setprio 1
  // CHECK: %[[TURN:.*]] = llvm.mlir.constant(6.2831854{{.*}} : f32)
  // CHECK: %[[ANGLE:.*]] = llvm.fmul %{{.*}}, %[[TURN]]
  // CHECK: llvm.call_intrinsic "llvm.sin"(%[[ANGLE]])
  %6 = rocdl.sin %v f32 -> f32
  // CHECK: llvm.return
  llvm.return
}
}
