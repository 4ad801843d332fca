// RUN: hocket-opt %s --split-input-file --hocket-warp-pipeline-partition --verify-diagnostics
// RUN: not hocket-opt %s --split-input-file --hocket-warp-pipeline-partition --mlir-print-ir-after-failure 2>&1 | FileCheck %s

// tests/errors/warp_pipeline/stages.py has the mistakes of users, with their lines. This file has IR that only a wrong front
// end or a test can make, and cases that depend on details of the IR. Rejected IR is unchanged.

// A stage that does not end

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f() {
  // expected-error@+1 {{hk.stage_begin begins a stage that does not end in its block}}
  hk.stage_begin "a"
  return
}
}

// -----

// A stage that does not begin

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f() {
  // expected-error@+1 {{hk.stage_end ends no stage of its block}}
  hk.stage_end
  return
}
}

// -----

// A stage that begins in another

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f() {
  hk.stage_begin "a"
  // expected-error@+1 {{stages of a warp pipeline cannot be nested}}
  hk.stage_begin "b"
  hk.stage_end
  hk.stage_end
  return
}
}

// -----

// The number of warps is that of the module

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
func.func @f() {
  // expected-error@+2 {{a warp pipeline needs 8, 12 or 16 warps, in groups of four, but the kernel runs with num_warps=4}}
  // expected-note@+1 {{hint: launch with num_warps=8}}
  hk.stage_begin "a"
  hk.stage_end
  hk.stage_begin "b"
  hk.stage_end
  return
}
}

// -----

// A reduction by a function that is not commutative: lanes get different results

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%x: tensor<8x64xi32, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = hk.reduce %x axis = 1 {
  ^bb0(%a: i32, %b: i32):
    %difference = arith.subi %a, %b : i32
    hk.combine.return %difference : i32
  } : (tensor<8x64xi32, #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>) -> tensor<8xi32, #hk.slice<dim = 1, parent = #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>>
  %n = hk.reduce %rows axis = 0 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    hk.combine.return %sum : i32
  } : (tensor<8xi32, #hk.slice<dim = 1, parent = #hk.slice<dim = 0, parent = #hk.blocked<size_per_thread = [1, 1, 8], threads_per_warp = [1, 8, 8], warps_per_cta = [8, 1, 1], order = [2, 1, 0]>>>>) -> i32
  // expected-error@+3 {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re@+2 {{it depends on a reduction by a function that lanes apply in different orders (line {{.*}})}}
  // expected-note@+1 {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

// A pointer of unknown origin may point into any array

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%sizes: !hk.ptr<i32>, %table: !hk.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %address = hk.load %table : !hk.ptr<i64> -> i64
  %out = hk.int_to_ptr %address : i64 -> !hk.ptr<i32>
  %n = hk.load %sizes : !hk.ptr<i32> -> i32
  // expected-error@+3 {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re@+2 {{it depends on a load from an array that the kernel writes, which each warp executes separately (line {{.*}})}}
  // expected-note@+1 {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.store %out, %i : !hk.ptr<i32>, i32
    hk.stage_end
  }
  return
}
}

// -----

// A loop-carried value may come from such a load in an earlier iteration

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%limit = %n) -> (i32) : i32 {
    %next = hk.load %p volatile : !hk.ptr<i32> -> i32
    scf.yield %next : i32
  }
  %runs = arith.cmpi sgt, %last, %c0 : i32
  // expected-error@+3 {{the warps of a block may take different branches here, so some would wait forever at a barrier of the warp pipeline inside}}
  // expected-note-re@+2 {{it depends on a volatile load, which each warp executes separately (line {{.*}})}}
  // expected-note@+1 {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.if %runs {
    scf.for %i = %c0 to %n step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
  }
  return
}
}

// -----

// A valid pipeline is not changed if another one is invalid

// CHECK: func.func @right_and_wrong
// CHECK-NEXT: hk.stage_begin "a"
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.stage_begin "b"
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: hk.store
// CHECK-NEXT: hk.stage_begin "c"
// CHECK-NEXT: hk.stage_end
// CHECK-NEXT: return
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @right_and_wrong(%p: !hk.ptr<i32>, %n: i32) {
  hk.stage_begin "a"
  hk.stage_end
  hk.stage_begin "b"
  hk.stage_end
  hk.store %p, %n : !hk.ptr<i32>, i32
  // expected-error@+2 {{a warp pipeline needs at least two stages, but this is the only one}}
  // expected-note@+1 {{hint: put memory reads and computation into separate stages, one after the other}}
  hk.stage_begin "c"
  hk.stage_end
  return
}
}
