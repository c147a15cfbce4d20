/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_COMPAT_H
#define TESS_SELFTESTS_SHIM_COMPAT_H

/* Kernels do not differ in user space. What exports a symbol is defined by the Makefile. */

#endif
