// RUN: hocket-opt %s --split-input-file --hocket-tile-pipeline --hocket-lane-pipeline | FileCheck %s

#line4 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#line2 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [2], order = [0]>

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// All lanes start with the same number of registers, at most 248.
// CHECK-LABEL: llvm.func @kernel(%arg0: !llvm.ptr<1>, %arg1: i32)
// CHECK-SAME: nvvm.maxnreg = 248 : i32, nvvm.reqntid = array<i32: 256>

// CHECK: %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256>
// CHECK: %[[WARP:.+]] = nvvm.shfl.sync  idx
// CHECK: llvm.icmp "ult" %[[WARP]], %{{.+}}
// CHECK: llvm.cond_br %{{.+}}, ^[[MAIN:bb[0-9]+]], ^[[WAIT:bb[0-9]+]]

// Captures that only the launching warps hold are passed through shared memory. Workers know their next launch
// statically.
// CHECK: ^[[MAIN]]:
// CHECK: %[[LOADED:.+]] = lane.load %arg0
// CHECK: llvm.icmp "eq" %[[TID]], %{{.+}}
// CHECK-NOT: llvm.store
// CHECK: llvm.getelementptr inbounds %{{.+}}[8]
// CHECK-NEXT: llvm.store %[[LOADED]], %{{.+}} : i32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[ALL:.+]] = llvm.mlir.constant(256 : i32)
// CHECK: nvvm.barrier id = %[[ONE]] number_of_threads = %[[ALL]]
// The barrier of the default partition, then the barrier of all partitions.
// CHECK: %[[OWN:.+]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[LAUNCH:.+]] = llvm.mlir.constant(128 : i32)
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %[[LAUNCH]]
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return

// CHECK: ^[[LEAVE:bb[0-9]+]]:
// CHECK-NEXT: llvm.return
// Warps without a worker, then the warps of the warpgroup, take their own paths. Exiting warps need not release
// registers.
// CHECK: ^[[IDLE:bb[0-9]+]]:
// CHECK: nvvm.barrier
// CHECK-NEXT: llvm.br ^[[LEAVE]]
// CHECK: ^[[DONE:bb[0-9]+]]:
// CHECK: nvvm.barrier
// CHECK-NEXT: llvm.br ^[[LEAVE]]

// Two warps; threads are counted from their own first one. n + n is recomputed.
// CHECK: ^[[STORE:bb[0-9]+]]:
// CHECK: %[[TWICE:.+]] = llvm.add %arg1, %arg1
// CHECK: %[[TAKEN:.+]] = llvm.load %{{.+}} : !llvm.ptr<3> -> i32
// CHECK: llvm.sub
// CHECK: %[[SUM:.+]] = llvm.add %[[TWICE]], %[[TAKEN]]
// CHECK: lane.store %{{.+}}, %[[SUM]]
// CHECK: %[[ITS:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[LANES:.+]] = llvm.mlir.constant(64 : i32)
// CHECK: nvvm.barrier id = %[[ITS]] number_of_threads = %[[LANES]]
// CHECK: llvm.br ^[[DONE]]
// CHECK: ^[[GROUP:bb[0-9]+]]:
// CHECK-NEXT: nvvm.setmaxregister {{ *}}decrease 24
// CHECK-NEXT: llvm.switch %[[WARP]] : i32, ^[[DONE]] [
// CHECK-NEXT: 4: ^[[STORE]],
// CHECK-NEXT: 5: ^[[STORE]]
// CHECK: ^[[DISPATCH:bb[0-9]+]]:
// CHECK-NEXT: llvm.switch %[[WARP]] : i32, ^[[IDLE]] [
// CHECK-NEXT: 4: ^[[GROUP]],
// CHECK-NEXT: 5: ^[[GROUP]],
// CHECK-NEXT: 6: ^[[GROUP]],
// CHECK-NEXT: 7: ^[[GROUP]]
// CHECK: ^[[WAIT]]:
// CHECK: nvvm.barrier
// CHECK-NEXT: llvm.br ^[[DISPATCH]]
func.func public @kernel(%x: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  %twice = arith.addi %n, %n : i32
  %loaded = hk.load %x : !hk.ptr<i32> -> i32
  hk.warp_specialize {
    hk.barrier
    hk.warp_yield
  } workers {
    hk.worker "store"(%x, %twice, %loaded : !hk.ptr<i32>, i32, i32) num_warps = 2 num_regs = 24 {
    ^bb0(%y: !hk.ptr<i32>, %m: i32, %k: i32):
      %i = hk.arange 0 to 64 : tensor<64xi32, #line2>
      %s = arith.addi %m, %k : i32
      %v = hk.splat %s : i32 -> tensor<64xi32, #line2>
      %b = hk.splat %y : !hk.ptr<i32> -> tensor<64x!hk.ptr<i32>, #line2>
      %p = hk.addptr %b, %i : tensor<64x!hk.ptr<i32>, #line2>, tensor<64xi32, #line2>
      hk.store %p, %v : tensor<64x!hk.ptr<i32>, #line2>, tensor<64xi32, #line2>
      hk.barrier
    }
  }
  return
}
}

// -----

// Two launches with a cluster barrier in between: the workers execute both in order.
// Registers are released, because others may need them at the next launch.
module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @course
// CHECK: llvm.cond_br %{{.+}}, ^[[MAIN:bb[0-9]+]], ^[[FIRST:bb[0-9]+]]
// CHECK: nvvm.setmaxregister {{ *}}decrease 24
// CHECK: llvm.switch
// CHECK: ^[[DISPATCH:bb[0-9]+]]:
// CHECK-NEXT: llvm.switch
// CHECK: ^[[SECOND:bb[0-9]+]]:
// CHECK: nvvm.barrier
// CHECK-NEXT: llvm.br ^[[DISPATCH]]
// CHECK: ^[[MEET:bb[0-9]+]]:
// CHECK-NEXT: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: llvm.br ^[[SECOND]]
// CHECK: nvvm.setmaxregister {{ *}}increase 248
// CHECK-NEXT: llvm.br ^[[MEET]]
// CHECK: ^[[FIRST]]:
// CHECK: nvvm.barrier
func.func public @course(%x: !hk.ptr<i32>) attributes {hk.kernel} {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "one"(%x : !hk.ptr<i32>) num_warps = 4 num_regs = 24 {
    ^bb0(%y: !hk.ptr<i32>):
      hk.barrier
    }
  }
  hk.cluster_barrier
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "two"(%x : !hk.ptr<i32>) num_warps = 4 num_regs = 24 {
    ^bb0(%y: !hk.ptr<i32>):
      hk.barrier
    }
  }
  return
}
}

// -----

// Workers that cannot know the next launch read it from shared memory: the number of the launch, or -1 to exit.
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @questions
// CHECK: llvm.cond_br %{{.+}}, ^[[MAIN:bb[0-9]+]], ^[[WAIT:bb[0-9]+]]
// CHECK: ^[[MAIN]]:
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.store
// CHECK: nvvm.barrier
// CHECK: llvm.mlir.constant(-1 : i32)
// CHECK: llvm.store
// CHECK: nvvm.barrier
// CHECK: llvm.return
// CHECK: ^[[WAIT]]:
// CHECK: nvvm.barrier
// CHECK: %[[NUMBER:.+]] = llvm.load
// CHECK: llvm.switch %[[NUMBER]] : i32, ^[[LEAVE:bb[0-9]+]] [
// CHECK-NEXT: 0: ^[[DISPATCH:bb[0-9]+]]
// CHECK: nvvm.barrier
// CHECK-NEXT: llvm.br ^[[WAIT]]
func.func public @questions(%x: !hk.ptr<i32>, %is: i1) attributes {hk.kernel} {
  scf.if %is {
    hk.warp_specialize {
      hk.warp_yield
    } workers {
      hk.worker "sometimes"(%x : !hk.ptr<i32>) num_warps = 4 {
      ^bb0(%y: !hk.ptr<i32>):
        hk.barrier
      }
    }
  }
  return
}
}
