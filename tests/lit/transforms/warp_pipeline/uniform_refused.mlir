// RUN: hocket-opt %s --split-input-file --hocket-warp-pipeline-partition --verify-diagnostics
//
// The trip count of a pipeline must be uniform over all warps (WarpUniformity.h): values that depend on a volatile
// load.

// A loop-carried variable that an iteration has changed

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 iter_args(%l = %n) -> (i32) : i32 {
    // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
    // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
    // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
    scf.for %k = %c0 to %l step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    scf.yield %x : i32
  }
  return
}
}

// -----

// One variable as initial value and as loop-carried value

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = hk.load %p volatile : !hk.ptr<i32> -> i32
  scf.for %i = %c0 to %n step %c1 iter_args(%l = %x) -> (i32) : i32 {
    // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
    // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
    // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
    scf.for %k = %c0 to %l step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
    scf.yield %n : i32
  }
  return
}
}

// -----

// A variable of a `while` loop

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while (%v = %n) : (i32) -> i32 {
    %go = arith.cmpi sgt, %n, %c0 : i32
    scf.condition(%go) %v : i32
  } do {
  ^bb0(%w: i32):
    // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
    // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
    // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
    scf.for %k = %c0 to %w step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    scf.yield %x : i32
  }
  return
}
}

// -----

// The number of iterations of a `while` loop

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%v = %c0) : (i32) -> i32 {
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    %go = arith.cmpi sgt, %x, %v : i32
    scf.condition(%go) %v : i32
  } do {
  ^bb0(%w: i32):
    %next = arith.addi %w, %c1 : i32
    scf.yield %next : i32
  }
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %k = %c0 to %r step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

// A `while` loop around the pipeline

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.while (%v = %c0) : (i32) -> i32 {
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    %go = arith.cmpi sgt, %x, %v : i32
    scf.condition(%go) %v : i32
  } do {
  ^bb0(%w: i32):
    scf.for %k = %c0 to %n step %c1 : i32 {
      hk.stage_begin "a"
      hk.stage_end
      hk.stage_begin "b"
      hk.stage_end
    }
    scf.yield %w : i32
  }
  return
}
}

// -----

// A value chosen by one branch

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %is = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.if %is -> (i32) {
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    scf.yield %x : i32
  } else {
    scf.yield %n : i32
  }
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %k = %c0 to %r step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

// A value chosen by the other branch

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %is = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.if %is -> (i32) {
    scf.yield %n : i32
  } else {
    %x = hk.load %p volatile : !hk.ptr<i32> -> i32
    scf.yield %x : i32
  }
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a volatile load, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %k = %c0 to %r step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

// A load from anywhere, in a kernel that stores

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @f(%p: !hk.ptr<i32>, %n: i32, %address: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = hk.int_to_ptr %address : i64 -> !hk.ptr<i32>
  %x = hk.load %q : !hk.ptr<i32> -> i32
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a load from an array that the kernel writes, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %k = %c0 to %x step %c1 : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  hk.store %p, %n : !hk.ptr<i32>, i32
  return
}
}
