/* SPDX-License-Identifier: GPL-2.0-only */
/* Source files of other modules may be included behind this: their exports are not ours. */
#ifndef _TESSERA_KUNIT_SOURCE_H_
#define _TESSERA_KUNIT_SOURCE_H_

#include <linux/export.h>
#include <tessera/compat.h>

#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(symbol, ns) static_assert(sizeof(#symbol) && sizeof(#ns))

#endif
