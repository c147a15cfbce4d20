// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: version negotiation
 *
 * The first message. The client proposes a version and capabilities; the reply
 * names the ones of them that the server has, with its own limits. Twin sockets
 * and migration are not offered: the server sends no commands and has no state
 * of its own to migrate.
 */
#include "json.h"
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CAP_PREFIX "capabilities."

enum {
	CAP_MAX_FDS,
	CAP_MAX_XFER,
	CAP_MAX_DMA,
	CAP_PGSIZES,
	CAP_MULTI,
	NR_CAPS,
};

static const struct {
	const char *path;
	enum json_kind kind;
	uint64_t value;
} caps[NR_CAPS] = {
	[CAP_MAX_FDS] = { CAP_PREFIX "max_msg_fds", JSON_NUMBER, VFU_MAX_MSG_FDS },
	[CAP_MAX_XFER] = { CAP_PREFIX "max_data_xfer_size", JSON_NUMBER, VFU_MAX_XFER },
	[CAP_MAX_DMA] = { CAP_PREFIX "max_dma_maps", JSON_NUMBER, VFU_MAX_DMA },
	[CAP_PGSIZES] = { CAP_PREFIX "pgsizes", JSON_NUMBER, VFU_PAGE_SIZE },
	[CAP_MULTI] = { CAP_PREFIX "write_multiple", JSON_BOOL, true },
};

/* What the client named, and its values. */
struct proposal {
	bool has[NR_CAPS];
	uint64_t value[NR_CAPS];
};

static int note_member(void *opaque, const struct json_member *m)
{
	struct proposal *p = opaque;
	size_t i;

	for (i = 0; i < NR_CAPS; i++) {
		if (strcmp(m->path, caps[i].path))
			continue;
		if (m->kind != caps[i].kind)
			return -EINVAL;
		p->has[i] = true;
		p->value[i] = m->value;
	}
	return 0;
}

/* Capabilities that are absent have the defaults of the protocol. */
static int parse_proposal(const char *text, size_t len, struct proposal *p)
{
	int ret;

	memset(p, 0, sizeof(*p));
	if (!len)
		return 0;
	if (text[len - 1])
		return -EINVAL;
	ret = json_parse(text, len - 1, note_member, p);
	if (ret)
		return ret;
	if (p->has[CAP_MAX_XFER] && !p->value[CAP_MAX_XFER])
		return -EINVAL;
	if (p->has[CAP_PGSIZES] && !(p->value[CAP_PGSIZES] & VFU_PAGE_SIZE))
		return -EINVAL;
	p->has[CAP_MULTI] &= p->value[CAP_MULTI];
	return 0;
}

static size_t format_caps(char *buf, size_t size, const struct proposal *p)
{
	size_t len = snprintf(buf, size, "{\"capabilities\":{");
	const char *comma = "";
	size_t i;

	for (i = 0; i < NR_CAPS; i++) {
		const char *name = caps[i].path + strlen(CAP_PREFIX);

		if (!p->has[i])
			continue;
		len += snprintf(buf + len, size - len, "%s\"%s\":", comma, name);
		if (caps[i].kind == JSON_BOOL)
			len += snprintf(buf + len, size - len, "true");
		else
			len += snprintf(buf + len, size - len, "%llu",
					(unsigned long long)caps[i].value);
		comma = ",";
	}
	len += snprintf(buf + len, size - len, "}}");
	return len + 1;
}

int vfu_version(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_conn *c = &v->conn;
	struct vfu_msg_version version;
	struct proposal p;
	char text[256];
	size_t text_len;
	uint8_t *reply;
	int ret;

	(void)reply_fd;
	memcpy(&version, payload, sizeof(version));
	if (c->negotiated)
		return -EINVAL;
	if (version.major != VFU_VERSION_MAJOR)
		return -EPROTONOSUPPORT;
	ret = parse_proposal((const char *)payload + sizeof(version), len - sizeof(version), &p);
	if (ret)
		return ret;
	c->client_xfer = VFU_MAX_XFER;
	if (p.has[CAP_MAX_XFER] && p.value[CAP_MAX_XFER] < VFU_MAX_XFER)
		c->client_xfer = p.value[CAP_MAX_XFER];
	c->multi = p.has[CAP_MULTI];
	c->negotiated = true;
	text_len = format_caps(text, sizeof(text), &p);
	version.minor = VFU_VERSION_MINOR;
	reply = vfu_conn_reply_buf(c);
	memcpy(reply, &version, sizeof(version));
	memcpy(reply + sizeof(version), text, text_len);
	if (v->ops->client_new)
		v->ops->client_new(v->opaque);
	return sizeof(version) + text_len;
}
