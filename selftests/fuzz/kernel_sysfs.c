// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings into the attributes of a vGPU whose guest works, by somebody who may write there but
 * cannot spell. What is refused changes nothing; what is accepted reads back as something
 * that is accepted; the guest loses nothing.
 */
#include <errno.h>
#include <string.h>

#include "crew.h"
#include "kernel_fuzz.h"
#include "shape.h"

#define OPS 150
#define TEXT_MAX 6000

static const char *const words[] = {
	"slices=1",
	"slices=2",
	"slices=3",
	"slices=4",
	"min=1",
	"min=2",
	"max=4",
	"kind=compute",
	"kind=mixed",
	"kind=render",
	"kind=any",
	"memory=1M",
	"memory=2M",
	"memory=0",
	"topology=ring",
	"topology=mesh",
	"topology=none",
	"topology=chain",
	"engines=all",
	"engines=compute,copy",
	"engines=copy",
	"heads=0",
	"heads=1",
	"share=exclusive",
	"share=shared",
	"weight=100",
	"weight=1",
	"cap=50",
	"policy=manual",
	"policy=auto",
	"gpus=1",
	"gpus=2",
	"none",
	"shader=900",
	"memory=800",
	"texture=1",
	"utilization=990",
	"displays=0",
	"displays=1@640x480",
	"path=local",
	"path=remote",
	"gpu0",
	"gpu1",
	"0",
	"1",
	"-1",
	"100",
	"18446744073709551616",
	"0x10",
	"manual",
	"auto",
	"=",
	"\"",
	"a=b=c",
};

static const char *const attrs[] = {
	"blueprint", "blueprint", "blueprint", "blueprint", "profile",
	"weight",    "cap",	  "policy",    "gpu",
};

static void add(char *text, const char *what)
{
	strncat(text, what, TEXT_MAX - strlen(text) - 1);
}

static void damage(struct episode *e, char *text)
{
	size_t len = strlen(text), at = len ? below(e, (uint32_t)len) : 0;

	switch (below(e, 5)) {
	case 0:
		text[at] = (char)(1 + below(e, 255));
		break;
	case 1:
		text[at] = 0;
		break;
	case 2:
		memmove(text + at, text + at + !!len, len - at + !len);
		break;
	case 3:
		while (strlen(text) < TEXT_MAX / 2)
			add(text, words[below(e, sizeof(words) / sizeof(*words))]);
		break;
	default:
		text[at] = "0123456789,=\t\n KMG"[below(e, 18)];
		break;
	}
}

static void make_text(struct episode *e, char *text)
{
	unsigned int n = 1 + below(e, 5);

	text[0] = 0;
	while (n--) {
		add(text, words[below(e, sizeof(words) / sizeof(*words))]);
		add(text, below(e, 8) ? " " : "\t\n  " + below(e, 4));
	}
	while (!below(e, 3))
		damage(e, text);
}

static void read_shape(struct episode *e, char *text)
{
	HOLDS(attr_read(e->uuid, "blueprint", text, SHAPE_TEXT_MAX) >= 0);
}

static void write_any(struct episode *e)
{
	char text[TEXT_MAX + 1], before[SHAPE_TEXT_MAX], after[SHAPE_TEXT_MAX];
	const char *attr = attrs[below(e, sizeof(attrs) / sizeof(*attrs))];
	int ret;

	make_text(e, text);
	read_shape(e, before);
	ret = attr_write(e->uuid, attr, text);
	++*e->ops;
	HOLDS(ret <= 0 && ret != -EFAULT && ret != -EIO && ret != -ENOTRECOVERABLE);
	read_shape(e, after);
	if (ret && !strstr(before, "policy=auto"))
		HOLDS(!strcmp(before, after));
	if (!ret && !strcmp(attr, "blueprint") && !strstr(after, "policy=auto")) {
		HOLDS(!attr_write(e->uuid, attr, after));
		read_shape(e, before);
		HOLDS(!strcmp(before, after));
	}
}

void fuzz_sysfs(struct episode *e)
{
	static struct crew crew;
	struct vgpu v;
	unsigned int i;

	HOLDS(!attr_write(e->uuid, "blueprint", "slices=2 min=1 max=4 memory=2M"));
	HOLDS(!vgpu_open(&v, e->uuid));
	HOLDS(!crew_start(&crew, &v));
	for (i = 0; i < OPS; i++)
		write_any(e);
	HOLDS(crew_goes_on(&crew));
	HOLDS(!crew_end(&crew));
	/* Nobody works any more: everything may be changed */
	vgpu_close(&v);
	for (i = 0; i < OPS / 4; i++)
		write_any(e);
}
