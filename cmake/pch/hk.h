#pragma once
#include "dialect/hk/ir/HkDialect.h"
