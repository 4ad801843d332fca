// RUN: hocket-opt %s --split-input-file --hocket-defer-exchanges --hocket-warp-pipeline-partition --verify-diagnostics

// Uses of exchanged values that are too early, at the use.

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [2, 4], order = [1, 0]>
!tile = tensor<32x64xf32, #rows>
!maxima = tensor<32xf32, #hk.slice<dim = 1, parent = #rows>>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @in_the_same_stage(%n: i32, %x: !tile, %p: tensor<32x!hk.ptr<f32>, #hk.slice<dim = 1, parent = #rows>>) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %c1 to %n step %c1 : i32 {
    hk.stage_begin "a"
    %m = hk.reduce %x axis = 1 {
    ^bb0(%a: f32, %b: f32):
      %larger = arith.maximumf %a, %b : f32
      hk.combine.return %larger : f32
    } : (!tile) -> !maxima
    // expected-error @below {{this uses the result of a reduction too early: warps exchange its values at a barrier between two stages}}
    // expected-note-re @below {{distance: 0 stages from the reduction (line {{[0-9]+}}) to this use; the values pass within each group of warps, so 1 is needed}}
    // expected-note @below {{hint: use it in stage "b" or later; or choose a layout that has one warp along axis 1}}
    hk.store %p, %m : tensor<32x!hk.ptr<f32>, #hk.slice<dim = 1, parent = #rows>>, !maxima
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
  }
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [2, 4], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [16, 4], warps_per_cta = [1, 8], order = [0, 1]>
!tile = tensor<32x64xf32, #rows>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @between_groups_in_the_next_stage(%n: i32, %x: !tile, %p: tensor<32x64x!hk.ptr<f32>, #columns>) {
  %c1 = arith.constant 1 : i32
  scf.for %i = %c1 to %n step %c1 : i32 {
    hk.stage_begin "a"
    %y = hk.convert_layout %x : !tile -> tensor<32x64xf32, #columns>
    hk.stage_end
    hk.stage_begin "b"
    // expected-error @below {{this uses the result of a layout conversion too early: warps exchange its values at a barrier between two stages}}
    // expected-note-re @below {{distance: 1 stage from the layout conversion (line {{[0-9]+}}) to this use; the values pass between the two groups of warps, which run 1 stage apart, so 2 are needed}}
    // expected-note @below {{hint: keep it in a variable that stage "a" of the next iteration uses; or add 1 stage between the two}}
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #columns>, tensor<32x64xf32, #columns>
    hk.stage_end
  }
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [2, 4], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [16, 4], warps_per_cta = [1, 8], order = [0, 1]>
!tile = tensor<32x64xf32, #rows>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @with_a_lag_of_two(%n: i32, %x: !tile, %i: tensor<32x64xi32, #columns>, %p: tensor<32x64x!hk.ptr<f32>, #columns>) {
  %c1 = arith.constant 1 : i32
  scf.for %k = %c1 to %n step %c1 : i32 {
    hk.stage_begin "a" {phase_gap = 2 : i32}
    %y = hk.gather %x[%i] axis = 1 : !tile, tensor<32x64xi32, #columns> -> tensor<32x64xf32, #columns>
    hk.stage_end
    hk.stage_begin "b"
    hk.stage_end
    hk.stage_begin "c"
    // expected-error @below {{this uses the result of a gather too early: warps exchange its values at a barrier between two stages}}
    // expected-note-re @below {{distance: 2 stages from the gather (line {{[0-9]+}}) to this use; the values pass between the two groups of warps, which run 2 stages apart, so 3 are needed}}
    // expected-note @below {{hint: keep it in a variable that stage "a" of the next iteration uses; or add 1 stage between the two}}
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #columns>, tensor<32x64xf32, #columns>
    hk.stage_end
  }
  return
}
}

// -----

// In the next iteration, but still one stage too early.

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 16], warps_per_cta = [2, 4], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [16, 4], warps_per_cta = [1, 8], order = [0, 1]>
!tile = tensor<32x64xf32, #rows>
!turned = tensor<32x64xf32, #columns>
module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32} {
func.func @carried(%n: i32, %x: !tile, %p: tensor<32x64x!hk.ptr<f32>, #columns>, %zero: !turned) {
  %c1 = arith.constant 1 : i32
  %r = scf.for %k = %c1 to %n step %c1 iter_args(%last = %zero) -> (!turned) : i32 {
    hk.stage_begin "a"
    // expected-error @below {{this uses the result of a layout conversion too early: warps exchange its values at a barrier between two stages}}
    // expected-note-re @below {{distance: 1 stage from the layout conversion (line {{[0-9]+}}) to this use; the values pass between the two groups of warps, which run 1 stage apart, so 2 are needed}}
    // expected-note @below {{hint: use it in stage "b" of the next iteration or later; or add 1 stage between the two}}
    hk.store %p, %last : tensor<32x64x!hk.ptr<f32>, #columns>, !turned
    hk.stage_end
    hk.stage_begin "b"
    %y = hk.convert_layout %x : !tile -> !turned
    hk.stage_end
    scf.yield %y : !turned
  }
  return
}
}

// -----

// With exclusive stages, which a barrier does not separate from others, exclusive stages count.

#rows = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [4, 8], warps_per_cta = [2, 4], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [1, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 8], order = [0, 1]>
!tile = tensor<32x64xf32, #rows>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func @ping_pong(%n: i32, %x: !tile, %p: tensor<32x64x!hk.ptr<f32>, #columns>) {
  %c1 = arith.constant 1 : i32
  scf.for %k = %c1 to %n step %c1 : i32 {
    hk.stage_begin "a" exclusive
    %y = hk.convert_layout %x : !tile -> tensor<32x64xf32, #columns>
    hk.stage_end
    hk.stage_begin "b"
    // expected-error @below {{this uses the result of a layout conversion too early: warps exchange its values at a barrier between two stages}}
    // expected-note-re @below {{distance: 1 exclusive stage from the layout conversion (line {{[0-9]+}}) to this use; the values pass between the two groups of warps, so 2 are needed}}
    // expected-note @below {{hint: leave `exclusive` out, or use the result in a later stage}}
    hk.store %p, %y : tensor<32x64x!hk.ptr<f32>, #columns>, tensor<32x64xf32, #columns>
    hk.stage_end
  }
  return
}
}
