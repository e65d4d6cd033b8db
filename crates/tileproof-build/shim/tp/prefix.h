// What comes before every kernel and does not depend on it.
#pragma once
#include "tp/abi.h"
#include "tp/copies.h"
#include "tp/types.h"
#include "tp/bindings.h"
