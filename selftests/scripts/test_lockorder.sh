#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# scripts/lockorder, as KTAP: orders that lockdep might have seen, in a tree with five locks.
#
# shellcheck disable=SC2016,SC2317 # quotes of documents; functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# tree DOCUMENTED-ORDER...
tree()
{
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree/Documentation" "$dir/tree/drivers/a"
	{
		printf '%s\n' "One order of all locks" "======================" ""
		printf '#. ``%s``\n' "$@"
		printf '%s\n' "" "Next" "====" "" '#. ``not_of_the_list``'
	} >"$dir/tree/Documentation/locking.rst"
	cat >"$dir/tree/drivers/a/a.h" <<'END'
struct tess_in {
	struct mutex lock;
};
struct tess_a {
	struct mutex hw;
	struct tess_in in;
	spinlock_t lock;
};
struct tess_b {
	spinlock_t lock;
};
END
	cat >"$dir/tree/drivers/a/a.c" <<'END'
static DEFINE_MUTEX(list_lock);
static void a_init(struct drm_device *drm, struct tess_a *a)
{
	mutex_init(&a->hw);
	drmm_mutex_init(drm, &a->in.lock);
	spin_lock_init(&a->lock);
}
static void b_init(struct tess_b *b)
{
	spin_lock_init(&b->lock);
}
END
}

# chain NAME...: locks that were held together, as lockdep tells
chain()
{
	echo "irq_context: 0"
	printf '[00000000c0ffee00] %s\n' "$@"
	echo
}

order()
{
	scripts/lockorder "$dir/chains" "$dir/tree"
}

says()
{
	order | grep -qxF -- "$1"
}

all="list_lock tess_a.hw tess_in.lock tess_a.lock tess_b.lock"
# shellcheck disable=SC2086 # a list
tree $all
ktap_begin

{ chain list_lock '&a->hw'; chain '&a->hw' '&a->lock'; } >"$dir/chains"
check "locks in order" order
expect "what was seen is counted" 0 says "2 pairs of 3 locks were seen"

{ chain list_lock '&a->hw'; chain '&a->lock' 'other' '&a->hw'; } >"$dir/chains"
expect "one inside of another that is behind it" 1 order
expect "it is named, with the chain" 0 says \
	"tess_a.hw is taken inside of tess_a.lock: &a->lock -> other -> &a->hw"

chain list_lock '&b->lock' other '&a->in.lock' >"$dir/chains"
expect "a lock of a member, and not the next one in the chain" 0 says \
	"tess_in.lock is taken inside of tess_b.lock: list_lock -> &b->lock -> other -> &a->in.lock"

chain '&a->hw' '&a->hw/1' '&a->in.lock' >"$dir/chains"
check "two of one kind, nested" order

chain '&a->lock' 'tess_a.hw of somebody/1' >"$dir/chains"
expect "a class with a name of its own" 0 says \
	"tess_a.hw is taken inside of tess_a.lock: &a->lock -> tess_a.hw of somebody"

{ chain '&a->lock'; chain '&a->hw'; chain other '&other->lock'; } >"$dir/chains"
expect "one after the other, and others of the kernel, are no order" 0 says \
	"0 pairs of 0 locks were seen"
expect "a record without the modules' locks is a mistake" 1 order

chain list_lock '&a->hw#2' >"$dir/chains"
expect "two kinds of locks that have one name for lockdep" 0 says \
	"lockdep has another class that is called &a->hw, &a->hw#2"

chain list_lock '&a->hw' >"$dir/chains"
echo 'static void c_init(struct tess_b *a) { spin_lock_init(&a->lock); }' >>"$dir/tree/drivers/a/a.c"
expect "two of the sources that do" 0 says \
	"tess_a.lock and tess_b.lock are both called &a->lock by lockdep"

# shellcheck disable=SC2086 # a list
tree $all tess_c.lock
expect "one of the list that is initialized nowhere" 0 says \
	"tess_c.lock: no initialization of it is found"
ktap_end
