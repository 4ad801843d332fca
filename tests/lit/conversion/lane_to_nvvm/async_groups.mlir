// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// Groups of copies are those of cp.async.

// CHECK-LABEL: llvm.func @groups
llvm.func @groups() {
  // CHECK-NEXT: nvvm.cp.async.commit.group
  // CHECK-NEXT: nvvm.cp.async.wait.group 1
  lane.async_commit_group
  lane.async_wait_group {outstanding = 1 : i32}
  llvm.return
}
