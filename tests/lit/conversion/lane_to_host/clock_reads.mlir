// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s
// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host=timing=true | FileCheck %s --check-prefixes=CHECK,TIMED

// All clocks read the clock of the warp. Untimed instructions are not counted; timed ones are counted before a reading.
// TIMED: hocket.events = [{busy = 1 : i32, issue = 1 : i32, kind = "arithmetic"
// TIMED-SAME: }], hocket.kernel = {name = "{{[a-z_]+}}", parameters = [
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK: llvm.func @hocket_emulated_kernel
llvm.func @nvidia(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  // TIMED: llvm.call @hocket_emulator_timed
  // CHECK: %[[A:.+]] = llvm.call @hocket_emulator_clock(%{{.+}}) : (!llvm.ptr) -> i64
  // CHECK: llvm.trunc %[[A]]
  // CHECK: llvm.call @hocket_emulator_clock
  // CHECK: llvm.call @hocket_emulator_clock
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %m = llvm.mul %t, %n : i32
  %u = llvm.mul %m, %n {lane.untimed} : i32
  %a = nvvm.read.ptx.sreg.clock : i32
  %b = nvvm.read.ptx.sreg.clock64 : i64
  %c = nvvm.read.ptx.sreg.globaltimer : i64
  %d = nvvm.read.ptx.sreg.smid : i32
  lane.store %p, %a {lane.untimed} : !llvm.ptr<1>, i32
  lane.store %p, %b {lane.untimed} : !llvm.ptr<1>, i64
  lane.store %p, %c {lane.untimed} : !llvm.ptr<1>, i64
  lane.store %p, %d {lane.untimed} : !llvm.ptr<1>, i32
  lane.store %p, %u {lane.untimed} : !llvm.ptr<1>, i32
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
// CHECK: llvm.func @hocket_emulated_kernel
llvm.func @amd(%p: !llvm.ptr<1>) attributes {rocdl.kernel} {
  // CHECK: llvm.call @hocket_emulator_clock
  // CHECK: llvm.call @hocket_emulator_clock
  // CHECK-NOT: llvm.amdgcn
  %a = llvm.call_intrinsic "llvm.amdgcn.s.memtime"() : () -> i64
  %b = llvm.call_intrinsic "llvm.amdgcn.s.memrealtime"() : () -> i64
  %id = llvm.mlir.constant(10244 : i32) : i32
  %c = llvm.call_intrinsic "llvm.amdgcn.s.getreg"(%id) : (i32) -> i32
  lane.store %p, %a : !llvm.ptr<1>, i64
  lane.store %p, %b : !llvm.ptr<1>, i64
  lane.store %p, %c : !llvm.ptr<1>, i32
  llvm.return
}
}
