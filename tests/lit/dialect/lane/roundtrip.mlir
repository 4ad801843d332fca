// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

// CHECK-LABEL: llvm.func @accesses
llvm.func @accesses(%p: !llvm.ptr<1>, %ok: i1, %v: vector<4xf32>, %i: i32, %f: f32) {
  // CHECK: lane.load %{{.+}} : !llvm.ptr<1> -> i8
  %0 = lane.load %p : !llvm.ptr<1> -> i8
  // CHECK: lane.load %{{.+}}, pred %{{.+}} cache = ca : !llvm.ptr<1> -> !llvm.ptr<1>
  %1 = lane.load %p, pred %ok cache = ca : !llvm.ptr<1> -> !llvm.ptr<1>
  // CHECK: lane.load %{{.+}}, pred %{{.+}}, other %{{.+}} cache = cg policy = <l2 = evict_last> volatile : !llvm.ptr<1> -> vector<4xf32>
  %2 = lane.load %p, pred %ok, other %v cache = cg policy = <l2 = evict_last> volatile : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: lane.store %{{.+}}, %{{.+}} : !llvm.ptr<1>, vector<4xf32>
  lane.store %p, %v : !llvm.ptr<1>, vector<4xf32>
  // CHECK: lane.store %{{.+}}, %{{.+}}, pred %{{.+}} cache = wt policy = <l2 = evict_first> : !llvm.ptr<1>, i32
  lane.store %p, %i, pred %ok cache = wt policy = <l2 = evict_first> : !llvm.ptr<1>, i32
  // CHECK: lane.atomic_rmw fadd relaxed gpu, %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, f32
  %3 = lane.atomic_rmw fadd relaxed gpu, %p, %f, pred %ok : !llvm.ptr<1>, f32
  // CHECK: lane.atomic_cas acq_rel sys, %{{.+}}, %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, i32
  %4 = lane.atomic_cas acq_rel sys, %p, %i, %i, pred %ok : !llvm.ptr<1>, i32
  // CHECK: lane.cache_policy <l2 = evict_last, fraction = 5.000000e-01 : f32, secondary = evict_first>
  %policy = lane.cache_policy <l2 = evict_last, fraction = 5.0e-01 : f32, secondary = evict_first>
  // CHECK: lane.assert %{{.+}}, "in range"
  lane.assert %ok, "in range"
  // CHECK: lane.float_to_int %{{.+}} : f32 -> i8
  %5 = lane.float_to_int %f : f32 -> i8
  // CHECK: lane.float_to_int unsigned %{{.+}} : f32 -> i64
  %6 = lane.float_to_int unsigned %f : f32 -> i64
  // CHECK: lane.print "hello"[]{{$}}
  lane.print "hello"[]
  // CHECK: lane.print "{d} of {f}"[%{{.+}}, %{{.+}}] of %{{.+}}, %{{.+}} : i32, f32 pred %{{.+}}
  lane.print "{d} of {f}"[%i, %i] of %i, %f : i32, f32 pred %ok
  llvm.return
}

// CHECK-LABEL: @products
llvm.func @products(%a: vector<4xi32>, %b: vector<2xi32>, %c: vector<4xf32>) -> vector<4xf32> {
  // CHECK: lane.mma "mma.m16n8k16.row.col.bf16" %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi32>, vector<2xi32>, vector<4xf32>
  %0 = lane.mma "mma.m16n8k16.row.col.bf16" %a, %b, %c : vector<4xi32>, vector<2xi32>, vector<4xf32>
  llvm.return %0 : vector<4xf32>
}

// CHECK-LABEL: @mbarriers
llvm.func @mbarriers(%barrier: !llvm.ptr<3>, %parity: i32) {
  // CHECK: lane.mbarrier_wait %{{.+}}, %{{.+}} : !llvm.ptr<3>
  lane.mbarrier_wait %barrier, %parity : !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @store_async
llvm.func @store_async(%x: i32, %tile: !llvm.ptr<7>, %bar: !llvm.ptr<7>) {
  // CHECK: lane.store_async %{{.+}}, %{{.+}} to %{{.+}}, %{{.+}} : !llvm.ptr<7>, !llvm.ptr<7>
  lane.store_async %x, %x to %tile, %bar : !llvm.ptr<7>, !llvm.ptr<7>
  llvm.return
}
