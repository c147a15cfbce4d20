/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_STRING_H
#define TESS_SELFTESTS_SHIM_STRING_H

#include <string.h>

#endif
