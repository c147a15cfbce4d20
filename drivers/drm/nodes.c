// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: nodes
 *
 * Render nodes with slices and VRAM of their own, for instance for containers. Each is a DRM device
 * whose elastic vGPU claims what a blueprint says (tess_vgpu_params). They are made and removed by
 * files in gpuN/nodes/, Documentation/ABI/testing/sysfs-tessera is the authority. A node has a
 * directory there, and one in gpuN/vgpus/ as any vGPU.
 *
 * Files may be in use while their node goes. A directory is removed first, which waits for
 * those who read or write a file in it; they take tess_node::lock, whoever removes it holds
 * tess_nodes::lock. With the GPU "create" and "remove" go before all nodes.
 *
 * Rejected: configfs, as in vkms. What there is of a GPU is in sysfs in one place, and a node
 * cannot be there without its GPU, as a configuration could.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <tessera/blueprint.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/device.h"
#include "device.h"
#include "nodes.h"

#define TESS_NODE_NAME_MAX 63

/**
 * struct tess_nodes - the nodes of a GPU
 * @kobj: directory "nodes"
 * @gpu: GPU
 * @driver: DRM's part of nodes
 * @lock: protects the fields below, and makes creations and removals one after the other
 * @list: struct tess_node
 * @error: of the last creation or removal
 * @reason: why it failed
 */
struct tess_nodes {
	struct kobject kobj;
	struct tess_gpu *gpu;
	const struct drm_driver *driver;
	struct mutex lock;
	struct list_head list;
	int error;
	struct tess_reason reason;
};

/**
 * struct tess_node - a render node with slices of its own
 * @kobj: directory
 * @link: in tess_nodes::list
 * @tdev: its DRM device, there as long as files can be read
 * @name: of the node
 * @lock: protects the fields below, and makes changes one after the other
 * @error: of the last blueprint
 * @reason: why it was refused
 */
struct tess_node {
	struct kobject kobj;
	struct list_head link;
	struct tess_device *tdev;
	char name[TESS_NODE_NAME_MAX + 1];
	struct mutex lock;
	int error;
	struct tess_reason reason;
};

static struct tess_node *to_tess_node(struct kobject *kobj)
{
	return container_of(kobj, struct tess_node, kobj);
}

static struct tess_nodes *to_tess_nodes(struct kobject *kobj)
{
	return container_of(kobj, struct tess_nodes, kobj);
}

__printf(3, 4) static int refuse(struct tess_reason *reason, int ret, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(reason->text, sizeof(reason->text), fmt, args);
	va_end(args);
	return ret;
}

/* What came of an attempt is for last_error: the result of the write */
static ssize_t note(int *error, struct tess_reason *reason, int ret, size_t count)
{
	tess_reason_complete(reason, ret);
	*error = ret;
	return ret ?: count;
}

/* ---- files of a node ---- */

static ssize_t blueprint_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct tess_blueprint bp;
	int len;

	tess_vgpu_blueprint(to_tess_node(kobj)->tdev->vgpu, &bp);
	len = tess_blueprint_format(&bp, buf, TESS_BLUEPRINT_MAX);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t blueprint_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			       size_t count)
{
	struct tess_node *node = to_tess_node(kobj);
	struct tess_blueprint now, bp;
	int ret;

	guard(mutex)(&node->lock);
	tess_vgpu_blueprint(node->tdev->vgpu, &now);
	node->reason.text[0] = '\0';
	ret = tess_blueprint_parse(buf, &now, &bp, &node->reason);
	if (!ret)
		ret = tess_vgpu_recompose(node->tdev->vgpu, &bp, &node->reason);
	return note(&node->error, &node->reason, ret, count);
}

static struct kobj_attribute node_blueprint = __ATTR_RW(blueprint);

/* Name of its file in /dev/dri */
static ssize_t device_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(to_tess_node(kobj)->tdev->drm->render->kdev));
}

static struct kobj_attribute node_device = __ATTR_RO(device);

static ssize_t vram_total_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tess_vgpu_vram_size(to_tess_node(kobj)->tdev->vgpu));
}

static struct kobj_attribute node_vram_total = __ATTR_RO(vram_total);

static ssize_t vram_free_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tess_vgpu_vram_free(to_tess_node(kobj)->tdev->vgpu));
}

static struct kobj_attribute node_vram_free = __ATTR_RO(vram_free);

static ssize_t node_last_error_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct tess_node *node = to_tess_node(kobj);

	guard(mutex)(&node->lock);
	return tess_reason_show(&node->reason, node->error, buf);
}

static struct kobj_attribute node_last_error = __ATTR(last_error, 0444, node_last_error_show, NULL);

static struct attribute *node_attrs[] = {
	&node_blueprint.attr, &node_device.attr,     &node_vram_total.attr,
	&node_vram_free.attr, &node_last_error.attr, NULL,
};
ATTRIBUTE_GROUPS(node);

static void node_release(struct kobject *kobj)
{
	kfree(to_tess_node(kobj));
}

static const struct kobj_type node_ktype = {
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = node_groups,
	.release = node_release,
};

/* ---- coming and going ---- */

/* For rules of udev: renderD129/vgpu has the name */
static ssize_t vgpu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct drm_minor *minor = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", to_tess_device(minor->dev)->name);
}
static DEVICE_ATTR_RO(vgpu);

static struct tess_node *node_find(struct tess_nodes *nodes, const char *name)
{
	struct tess_node *node;

	lockdep_assert_held(&nodes->lock);
	list_for_each_entry(node, &nodes->list, link)
		if (!strcmp(node->name, name))
			return node;
	return NULL;
}

/* On return nobody reads or writes a file of it */
static void node_hide(struct tess_node *node)
{
	if (node->kobj.state_in_sysfs)
		kobject_del(&node->kobj);
}

static void node_end(struct tess_node *node)
{
	list_del(&node->link);
	node_hide(node);
	tess_device_destroy(node->tdev);
	kobject_put(&node->kobj);
}

static int node_show(struct tess_nodes *nodes, struct tess_node *node)
{
	struct device *dev = node->tdev->drm->render->kdev;
	int ret;

	ret = device_create_file(dev, &dev_attr_vgpu);
	if (!ret)
		ret = kobject_add(&node->kobj, &nodes->kobj, "%s", node->name);
	if (ret)
		return ret;
	/* udev was told of the device before the file was there */
	tess_device_changed(node->tdev);
	return 0;
}

static int node_start(struct tess_nodes *nodes, struct tess_node *node,
		      const struct tess_blueprint *bp)
{
	struct tess_device_params params = {
		.driver = nodes->driver,
		.name = node->name,
		.region = node->name,
		.blueprint = *bp,
		.reason = &nodes->reason,
	};
	int ret;

	node->tdev = tess_device_create(nodes->gpu, &params);
	if (IS_ERR(node->tdev)) {
		ret = PTR_ERR(node->tdev);
		return ret == -EEXIST ?
			       refuse(&nodes->reason, ret, "there is a vGPU \"%s\"", node->name) :
			       ret;
	}
	ret = node_show(nodes, node);
	if (!ret)
		return 0;
	node_hide(node);
	tess_device_destroy(node->tdev);
	return refuse(&nodes->reason, ret, "no directory \"%s\"", node->name);
}

static int node_create(struct tess_nodes *nodes, const char *name, const struct tess_blueprint *bp)
{
	struct tess_node *node;
	int ret;

	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	kobject_init(&node->kobj, &node_ktype);
	mutex_init(&node->lock);
	strscpy(node->name, name);
	ret = node_start(nodes, node, bp);
	if (ret)
		kobject_put(&node->kobj);
	else
		list_add_tail(&node->link, &nodes->list);
	return ret;
}

static bool node_name_is_good(const char *name)
{
	if (*name == '.')
		return false;
	for (; *name; name++)
		if (!isascii(*name) || (!isalnum(*name) && !strchr("._-", *name)))
			return false;
	return true;
}

/* The first word, which becomes the name of a directory; what follows, or NULL */
static const char *node_take_name(const char *text, char *name, struct tess_reason *reason)
{
	size_t len;

	text = skip_spaces(text);
	len = strcspn(text, " \t\n");
	if (!len || len > TESS_NODE_NAME_MAX) {
		refuse(reason, 0, "a name has 1 to %u characters", TESS_NODE_NAME_MAX);
		return NULL;
	}
	memcpy(name, text, len);
	name[len] = '\0';
	if (node_name_is_good(name))
		return text + len;
	refuse(reason, 0, "a name has letters, digits, \".\", \"_\" and \"-\", and no \".\" first");
	return NULL;
}

static int nodes_add(struct tess_nodes *nodes, const char *text)
{
	const struct tess_blueprint base = { .slices = 1 };
	char name[TESS_NODE_NAME_MAX + 1];
	struct tess_blueprint bp;
	int ret;

	lockdep_assert_held(&nodes->lock);
	text = node_take_name(text, name, &nodes->reason);
	if (!text)
		return -EINVAL;
	if (node_find(nodes, name))
		return refuse(&nodes->reason, -EEXIST, "there is a node \"%s\"", name);
	ret = tess_blueprint_parse(skip_spaces(text), &base, &bp, &nodes->reason);
	return ret ?: node_create(nodes, name, &bp);
}

static ssize_t create_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			    size_t count)
{
	struct tess_nodes *nodes = to_tess_nodes(kobj);

	guard(mutex)(&nodes->lock);
	nodes->reason.text[0] = '\0';
	return note(&nodes->error, &nodes->reason, nodes_add(nodes, buf), count);
}

static struct kobj_attribute nodes_create = __ATTR_WO(create);

static int nodes_drop(struct tess_nodes *nodes, const char *text)
{
	char name[TESS_NODE_NAME_MAX + 1];
	struct tess_node *node;

	lockdep_assert_held(&nodes->lock);
	if (!node_take_name(text, name, &nodes->reason))
		return -EINVAL;
	node = node_find(nodes, name);
	if (!node)
		return refuse(&nodes->reason, -ENOENT, "there is no node \"%s\"", name);
	node_end(node);
	return 0;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			    size_t count)
{
	struct tess_nodes *nodes = to_tess_nodes(kobj);

	guard(mutex)(&nodes->lock);
	nodes->reason.text[0] = '\0';
	return note(&nodes->error, &nodes->reason, nodes_drop(nodes, buf), count);
}

static struct kobj_attribute nodes_remove = __ATTR_WO(remove);

static ssize_t nodes_last_error_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct tess_nodes *nodes = to_tess_nodes(kobj);

	guard(mutex)(&nodes->lock);
	return tess_reason_show(&nodes->reason, nodes->error, buf);
}

static struct kobj_attribute nodes_last_error =
	__ATTR(last_error, 0444, nodes_last_error_show, NULL);

static struct attribute *nodes_attrs[] = {
	&nodes_create.attr,
	&nodes_remove.attr,
	&nodes_last_error.attr,
	NULL,
};

static const struct attribute_group nodes_group = {
	.attrs = nodes_attrs,
};

static void nodes_release(struct kobject *kobj)
{
	kfree(to_tess_nodes(kobj));
}

static const struct kobj_type nodes_ktype = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = nodes_release,
};

/**
 * tess_nodes_init() - nodes of a GPU can be made from now on
 * @tdev: the GPU's own DRM device
 * @driver: DRM's part of nodes
 *
 * Return: 0 or negative errno; tess_nodes_fini() is to be called in any case.
 */
int tess_nodes_init(struct tess_device *tdev, const struct drm_driver *driver)
{
	struct tess_nodes *nodes;
	int ret;

	nodes = kzalloc(sizeof(*nodes), GFP_KERNEL);
	if (!nodes)
		return -ENOMEM;
	nodes->gpu = tdev->gpu;
	nodes->driver = driver;
	mutex_init(&nodes->lock);
	INIT_LIST_HEAD(&nodes->list);
	kobject_init(&nodes->kobj, &nodes_ktype);
	tdev->nodes = nodes;
	ret = kobject_add(&nodes->kobj, tess_gpu_kobj(tdev->gpu), "nodes");
	return ret ?: sysfs_create_group(&nodes->kobj, &nodes_group);
}

/**
 * tess_nodes_fini() - end all nodes of a GPU
 * @tdev: the GPU's own DRM device
 */
void tess_nodes_fini(struct tess_device *tdev)
{
	struct tess_nodes *nodes = tdev->nodes;

	if (!nodes)
		return;
	tdev->nodes = NULL;
	if (nodes->kobj.state_in_sysfs)
		sysfs_remove_group(&nodes->kobj, &nodes_group);
	mutex_lock(&nodes->lock);
	while (!list_empty(&nodes->list))
		node_end(list_first_entry(&nodes->list, struct tess_node, link));
	mutex_unlock(&nodes->lock);
	if (nodes->kobj.state_in_sysfs)
		kobject_del(&nodes->kobj);
	kobject_put(&nodes->kobj);
}

/**
 * tess_nodes_each() - do something with the DRM device of each node
 * @tdev: the GPU's own one
 * @tell: what
 */
void tess_nodes_each(struct tess_device *tdev, void (*tell)(struct tess_device *tdev))
{
	struct tess_nodes *nodes = tdev->nodes;
	struct tess_node *node;

	if (!nodes)
		return;
	guard(mutex)(&nodes->lock);
	list_for_each_entry(node, &nodes->list, link)
		tell(node->tdev);
}
