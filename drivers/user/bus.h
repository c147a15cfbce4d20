/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_BUS_H_
#define _TESSERA_USER_BUS_H_

#include <linux/types.h>

struct device;
struct tess_user_bus;

/* What a grant allows */
enum tess_user_grant {
	TESS_USER_GRANT_NONE,
	TESS_USER_GRANT_READ,
	TESS_USER_GRANT_WRITE,
};

void tess_user_bus_init(struct tess_user_bus *bus);
void tess_user_bus_fini(struct tess_user_bus *bus);
void tess_user_bus_attach(struct device *dev);
enum tess_user_grant tess_user_bus_granted(struct tess_user_bus *bus, unsigned long pfn);
void tess_user_bus_silence(struct tess_user_bus *bus, bool silent);

#endif
