//===- MatrixTime.cpp - The interface of MMAs whose time is known -----------------===//
#include "dialect/hk/facts/MatrixTime.h"

#include "dialect/hk/facts/MatrixTimeInterfaces.cpp.inc"
