// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-warp-pipeline-partition
//
// Every rule that one pipeline can break without a hazard. tests/errors/warp_pipeline/stages.py has the users' view of these
// errors, with lines and hints.

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @loop_in_stage(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    // expected-error @below {{a stage of a warp pipeline cannot contain a loop}}
    // expected-note @below {{hint: unroll it with gl.static_range; to pipeline its iterations, put the stages in its body}}
    scf.for %j = %n to %n step %n : i32 {
    }
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @wait_in_stage(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    // expected-error @below {{a stage of a warp pipeline cannot contain a wait}}
    // expected-note @below {{hint: move it between two stages}}
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @barrier_in_branch_of_stage(%n: i32, %flag: i1) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    scf.if %flag {
      // expected-error @below {{a stage of a warp pipeline cannot contain a barrier}}
      // expected-note @below {{hint: move it between two stages}}
      hk.barrier
    }
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @pipeline_in_stage(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    // expected-error @below {{a stage of a warp pipeline cannot contain a loop}}
    // expected-note @below {{hint: unroll it with gl.static_range; to pipeline its iterations, put the stages in its body}}
    scf.for %j = %n to %n step %n : i32 {
      hk.stage_begin "c"
      hk.stage_end
      hk.stage_begin "d"
      hk.stage_end
    }
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @pipeline_between_stages(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    hk.stage_end
    // expected-error @below {{warp pipelines cannot be nested}}
    // expected-note @below {{hint: keep only the stages of the inner loop}}
    scf.for %j = %n to %n step %n : i32 {
      hk.stage_begin "c"
      hk.stage_end
      hk.stage_begin "d"
      hk.stage_end
    }
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @one_stage(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    // expected-error @below {{a warp pipeline needs at least two stages, but this is the only one}}
    // expected-note @below {{hint: put memory reads and computation into separate stages, one after the other}}
    hk.stage_begin "a"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @two_waits_in_a_gap(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    hk.stage_end
    hk.async_wait_group {outstanding = 0 : i32}
    // expected-error @below {{this is the second wait between two stages of a warp pipeline}}
    // expected-note-re @below {{the first is in line {{[0-9]+}}}}
    // expected-note @below {{hint: keep one of them, or put an empty stage between the two}}
    hk.barrier
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @waits_at_top_and_bottom(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    hk.barrier
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
    // expected-error @below {{this loop waits at its bottom and at its top, with no stage in between}}
    // expected-note-re @below {{the wait at the top is in line {{[0-9]+}}}}
    // expected-note @below {{hint: keep one of them, or put an empty stage before or after one}}
    hk.async_wait_group {outstanding = 0 : i32}
  }
  return
}
}

// -----

#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [8, 1], order = [1, 0]>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @reduction_over_warps(%n: i32, %x: tensor<8x64xf32, #columns>) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    // expected-error @below {{a stage of a warp pipeline cannot contain a reduction over several warps, which waits for all of them}}
    // expected-note @below {{hint: choose a layout that has one warp along axis 0, or reduce after the pipeline}}
    %s = hk.reduce %x axis = 0 {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      hk.combine.return %sum : f32
    } : (tensor<8x64xf32, #columns>) -> tensor<64xf32, #hk.slice<dim = 0, parent = #columns>>
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [1, 64], warps_per_cta = [8, 1], order = [1, 0]>
#turned = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [8, 8], warps_per_cta = [1, 8], order = [0, 1]>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @conversion_between_warps(%n: i32, %x: tensor<8x64xf32, #rows>) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    // expected-error @below {{a stage of a warp pipeline cannot contain a layout conversion that moves elements between warps, which waits for all of them}}
    // expected-note @below {{hint: store to shared memory here and load in the new layout after the next stage, or convert outside the pipeline}}
    %y = hk.convert_layout %x : tensor<8x64xf32, #rows> -> tensor<8x64xf32, #turned>
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @atomic_for_all_warps(%n: i32, %p: !hk.ptr<i32>, %q: !hk.ptr<i32>) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    // expected-error @below {{a stage of a warp pipeline cannot contain an atomic whose old values go to several warps, which waits for all of them}}
    // expected-note @below {{hint: leave its result unused, or move it out of the pipeline}}
    %old = hk.atomic_rmw add, %p, %i : !hk.ptr<i32>, i32
    hk.store %q, %old : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @while_loop(%n: i32) {
  scf.while : () -> () {
    %more = arith.cmpi slt, %n, %n : i32
    scf.condition(%more)
  } do {
    // expected-error @below {{a stage of a warp pipeline cannot be inside a `while` loop}}
    // expected-note @below {{hint: write the loop with `for` and range}}
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
    scf.yield
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @branch(%n: i32, %flag: i1) {
  scf.for %i = %n to %n step %n : i32 {
    hk.stage_begin "a"
    hk.stage_end
    scf.if %flag {
      // expected-error @below {{a stage of a warp pipeline cannot be inside an `if` that is decided at run time}}
      // expected-note @below {{hint: move the `if` into the stage, or the loop with all its stages into the `if`; code after an `if` with `return` counts as its other branch}}
      hk.stage_begin "b"
      hk.stage_end
    }
  }
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 32 : i32} {
func.func @thirty_two_warps(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    // expected-error @below {{a warp pipeline needs 8, 12 or 16 warps, in groups of four, but the kernel runs with num_warps=32}}
    // expected-note @below {{hint: launch with num_warps=8}}
    hk.stage_begin "a"
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @iterations_that_differ_between_warps(%n: i32, %p: !hk.ptr<i32>) {
  %count = hk.load %p : !hk.ptr<i32> -> i32
  // expected-error @below {{the warps of a block may run this loop different numbers of times, so some would wait forever at a barrier of its warp pipeline}}
  // expected-note-re @below {{it depends on a load from an array that the kernel writes, which each warp executes separately (line {{[0-9]+}})}}
  // expected-note @below {{hint: pass the value as an argument; or read it with gl.atomic_add(ptr, 0), which gives all warps the same value}}
  scf.for %i = %n to %count step %n : i32 {
    hk.stage_begin "a"
    hk.store %p, %i : !hk.ptr<i32>, i32
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}
