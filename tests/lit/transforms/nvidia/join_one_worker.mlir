// RUN: hocket-opt %s --hocket-join-partitions | FileCheck %s

// A kernel with one worker: warps 4 to 7 branch away at the entry, wait at barrier 1, run the worker and wait again.
module attributes {hk.num_warps = 4 : i32, hk.shared_bytes = 32 : i32, hk.target = "sm_90a", hk.worker_warps = 4 : i32,
    hk.workers = [#hk.worker<name = "copy", first_warp = 4, num_warps = 4>]} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @kernel
// CHECK: %[[WARP:.+]] = nvvm.shfl.sync  idx
// CHECK: %[[STAYS:.+]] = llvm.icmp "ult" %[[WARP]], %{{.+}} : i32
// CHECK: llvm.cond_br %[[STAYS]], ^[[MAIN:.+]], ^[[WAIT:.+]]
// CHECK: ^[[MAIN]]:
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK: lane.store %arg0, %arg1 :
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK-NEXT: llvm.return
// CHECK-NEXT: ^[[LEAVE:bb[0-9]+]]:
// CHECK-NEXT: llvm.return
// CHECK: llvm.br ^[[LEAVE]]
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK-NEXT: llvm.br ^[[LEAVE]]
// CHECK-NEXT: ^[[WORKER:bb[0-9]+]]:
// CHECK: lane.store %arg0, %{{.+}} :
// CHECK: llvm.switch %[[WARP]] : i32
// CHECK-NEXT: 4: ^[[WORKER]],
// CHECK-NEXT: 5: ^[[WORKER]],
// CHECK: ^[[WAIT]]:
// CHECK: nvvm.barrier id = %{{.+}} number_of_threads = %{{.+}}
// CHECK-NOT: lane.start_workers
// CHECK-NOT: lane.join_workers
// CHECK-NOT: @kernel.copy.0
llvm.func @kernel(%x: !llvm.ptr<1>, %n: i32) attributes {hk.partition = #hk.partition<first_warp = 0, num_warps = 4, barrier = 0>, nvvm.kernel, nvvm.reqntid = array<i32: 256>} {
  lane.start_workers [@kernel.copy.0](%x : !llvm.ptr<1>) counts = [1] offset = 0
  lane.store %x, %n : !llvm.ptr<1>, i32
  lane.join_workers
  llvm.return
}

llvm.func @kernel.copy.0(%y: !llvm.ptr<1>) attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 4, barrier = 2>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  lane.store %y, %zero : !llvm.ptr<1>, i32
  llvm.return
}
}
