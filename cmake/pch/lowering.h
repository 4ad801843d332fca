#pragma once
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/lane/LaneDialect.h"
