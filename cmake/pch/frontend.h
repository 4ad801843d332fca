#pragma once
#include "frontend/emit/Emitter.h"
#include "frontend/semantics/operators/Operators.h"
