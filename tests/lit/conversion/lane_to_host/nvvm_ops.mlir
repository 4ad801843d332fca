// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @ops(%v: f32, %n: i32, %c: i1) attributes {nvvm.kernel} {
  // CHECK: %[[THREAD:.*]] = llvm.getelementptr inbounds %[[LANE]][16]
  // CHECK: llvm.load %[[THREAD]] : !llvm.ptr -> i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[BLOCK:.*]] = llvm.load %[[LANE]] : !llvm.ptr -> !llvm.ptr
  // CHECK: llvm.load %[[BLOCK]] : !llvm.ptr -> i32
  %cta = nvvm.read.ptx.sreg.ctaid.x : i32
  // ShuffleBfly is 0; floats are passed as bits.
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[BITS]] : i32 to i64
  // CHECK: %[[KIND:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[SHUFFLED:.*]] = llvm.call @hocket_emulator_crossLane(%[[LANE]], %[[KIND]], %[[WIDE]]
  // CHECK: %[[NARROW:.*]] = llvm.trunc %[[SHUFFLED]] : i64 to i32
  // CHECK: llvm.bitcast %[[NARROW]] : i32 to f32
  %0 = nvvm.shfl.sync bfly %n, %v, %n, %n : f32 -> f32
  // CHECK: llvm.call @hocket_emulator_crossLane
  // CHECK: llvm.lshr
  // CHECK: llvm.insertvalue
  // CHECK: llvm.insertvalue
  %1 = nvvm.shfl.sync idx %n, %n, %n, %n {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // CHECK: llvm.call @hocket_emulator_crossLane
  %2 = nvvm.vote.sync ballot %n, %c -> i32
  // CHECK: llvm.call @hocket_emulator_crossLane
  %3 = nvvm.redux.sync add %n, %n : i32 -> i32
  // CHECK: llvm.call @hocket_emulator_crossLane
  nvvm.bar.warp.sync %n : i32
  // CHECK: llvm.call @hocket_emulator_barrier(%[[LANE]]
  nvvm.barrier0
  // CHECK: llvm.call @hocket_emulator_barrier(%[[LANE]]
  nvvm.barrier id = %n number_of_threads = %n
  // CHECK: llvm.call @hocket_emulator_barrierReduce(%[[LANE]]
  %4 = nvvm.barrier #nvvm.reduction<or> %n -> i32
  // CHECK: llvm.call @hocket_emulator_barrierArrive(%[[LANE]]
  nvvm.barrier.arrive id = %n number_of_threads = %n
  // CHECK-NOT: setmaxregister
  nvvm.setmaxregister increase 232
  // CHECK: llvm.fence seq_cst
  nvvm.memory.barrier #nvvm.mem_scope<gpu>
  // Denormal results are flushed to 0.
  // CHECK: %[[POWER:.+]] = llvm.intr.exp2(
  // CHECK: %[[SIZE:.+]] = llvm.intr.fabs(%[[POWER]])
  // CHECK: %[[SMALL:.+]] = llvm.fcmp "olt" %[[SIZE]]
  // CHECK: llvm.select %[[SMALL]], %{{.+}}, %[[POWER]]
  %5 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%v) : (f32) -> f32
  // CHECK: llvm.return
  llvm.return
}
}
