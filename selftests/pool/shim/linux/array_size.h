/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_ARRAY_SIZE_H
#define TESS_SELFTESTS_SHIM_ARRAY_SIZE_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
