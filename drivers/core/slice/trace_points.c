// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints that trace.h declares. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#include "trace.h"
#endif
