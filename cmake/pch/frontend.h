#pragma once
#include "frontend/semantics/Emitter.h"
#include "frontend/semantics/operators/Operators.h"
