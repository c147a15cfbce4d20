/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_STDARG_H
#define TESS_SELFTESTS_SHIM_STDARG_H

#include <stdarg.h>

#endif
