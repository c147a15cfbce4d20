// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("KUnit tests of Tessera's decisions, completion router, rings and page tables");
MODULE_LICENSE("GPL");
