// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// stage_begin C1
func.func @priority_too_high() {
  // expected-error@+1 {{'hk.stage_begin' op attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  hk.stage_begin "load" {priority = 4 : i32}
  return
}

// -----

// stage_begin C1
func.func @priority_below_zero() {
  // expected-error@+1 {{'hk.stage_begin' op attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  hk.stage_begin "load" {priority = -1 : i32}
  return
}

// -----

// stage_begin C2
func.func @no_gap() {
  // expected-error@+1 {{'hk.stage_begin' op attribute 'phase_gap' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 256}}
  hk.stage_begin "load" {phase_gap = 0 : i32}
  return
}

// -----

// stage_begin C2
func.func @too_large_a_gap() {
  // expected-error@+1 {{'hk.stage_begin' op attribute 'phase_gap' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 256}}
  hk.stage_begin "load" {phase_gap = 257 : i32}
  return
}

// -----

// stage C2: a barrier for each, so a million of them took minutes
func.func @too_large_a_gap_of_a_region() {
  // expected-error@+1 {{'hk.stage' op attribute 'phase_gap' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 256}}
  hk.stage "load" phase_gap = 1048576 {
  }
  return
}

// -----

// stage C3
func.func @nested() {
  hk.stage "outer" {
    // expected-error@+1 {{'hk.stage' op is nested in another stage}}
    hk.stage "inner" {
    }
  }
  return
}

// -----

// stage_yield C1
func.func @result_without_value() {
  %x = hk.stage "load" -> f32 {
    %zero = arith.constant 0 : i32
    // expected-error@+1 {{'hk.stage_yield' op yields ('i32'), but the stage has results of ('f32')}}
    hk.stage_yield %zero : i32
  }
  return
}
