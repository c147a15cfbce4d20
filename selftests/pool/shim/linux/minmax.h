/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As strict about types as the kernel's, but not about their signs */
#ifndef TESS_SELFTESTS_SHIM_MINMAX_H
#define TESS_SELFTESTS_SHIM_MINMAX_H

#define min(a, b)                       \
	({                              \
		__typeof__(a) _a = (a); \
		__typeof__(b) _b = (b); \
		_a < _b ? _a : _b;      \
	})
#define max(a, b)                       \
	({                              \
		__typeof__(a) _a = (a); \
		__typeof__(b) _b = (b); \
		_a > _b ? _a : _b;      \
	})
#define clamp(v, lo, hi) min(max(v, lo), hi)

#define min_t(type, a, b) min((type)(a), (type)(b))

#define swap(a, b)                      \
	({                              \
		__typeof__(a) _t = (a); \
		(a) = (b);              \
		(b) = _t;               \
	})

#endif
