#pragma once
#include "dialect/hk/HkDialect.h"
