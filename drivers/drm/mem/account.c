// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: what memory costs
 *
 * System memory of BOs cannot be reclaimed, and no process dies for it when the machine runs out
 * of memory: another would be killed. So there are limits, for all BOs together (half of the
 * memory is also TTM's limit) and for each open file, so that one of them cannot deny it to all
 * others. Memory counts when there are pages: a BO that was only created costs nothing. The
 * kernel charges the pages themselves to the memory control group of the process that made them
 * come.
 *
 * VRAM counts when it is allocated. One open file may have all of it unless the administrator
 * says otherwise: how much VRAM there is for whom is decided when vGPUs are composed. The dmem
 * control group limits it where the kernel has that.
 *
 * The file that made a BO pays for it as long as there is the BO, also if others share it.
 */
#include <linux/atomic.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include "account.h"
#include "base/device.h"

static unsigned int system_percent = 50;
module_param(system_percent, uint, 0644);
MODULE_PARM_DESC(system_percent, "part of the machine's memory that buffer objects may have, percent");

static unsigned int client_percent = 75;
module_param(client_percent, uint, 0644);
MODULE_PARM_DESC(client_percent, "part of that which one open file may have, percent");

static unsigned int client_vram_percent = 100;
module_param(client_vram_percent, uint, 0644);
MODULE_PARM_DESC(client_vram_percent, "part of the VRAM that one open file may have, percent");

static atomic_long_t tess_system_pages;

static u64 tess_part(u64 whole, unsigned int percent)
{
	return div_u64(whole * min(percent, 100U), 100);
}

static u64 tess_account_system_pages(void)
{
	return tess_part(totalram_pages(), READ_ONCE(system_percent));
}

static u64 tess_account_client_pages(void)
{
	return tess_part(tess_account_system_pages(), READ_ONCE(client_percent));
}

/**
 * tess_account_system_limit() - most system memory that one open file may have
 *
 * Return: bytes.
 */
u64 tess_account_system_limit(void)
{
	return tess_account_client_pages() << PAGE_SHIFT;
}

/**
 * tess_account_system_total_limit() - most system memory that all of them may have
 *
 * Return: bytes.
 */
u64 tess_account_system_total_limit(void)
{
	return tess_account_system_pages() << PAGE_SHIFT;
}

/**
 * tess_account_system_used() - system memory of all BOs
 *
 * Return: bytes.
 */
u64 tess_account_system_used(void)
{
	return (u64)atomic_long_read(&tess_system_pages) << PAGE_SHIFT;
}

/**
 * tess_account_vram_limit() - most VRAM that one open file may have
 * @tdev: device
 *
 * Return: bytes.
 */
u64 tess_account_vram_limit(const struct tess_device *tdev)
{
	return tess_part(tess_vgpu_vram_size(tdev->vgpu), READ_ONCE(client_vram_percent));
}

static bool tess_take(atomic_long_t *counter, unsigned long amount, u64 limit)
{
	if (atomic_long_add_return(amount, counter) <= limit)
		return true;
	atomic_long_sub(amount, counter);
	return false;
}

/**
 * tess_account_system() - count system memory
 * @usage: of the file that pays
 * @pages: pages of 4 KiB
 *
 * Return: 0, -ENOMEM it is more than there may be.
 */
int tess_account_system(struct tess_usage *usage, unsigned long pages)
{
	if (!tess_take(&usage->system_pages, pages, tess_account_client_pages()))
		return -ENOMEM;
	if (!tess_take(&tess_system_pages, pages, tess_account_system_pages())) {
		atomic_long_sub(pages, &usage->system_pages);
		return -ENOMEM;
	}
	return 0;
}

/**
 * tess_unaccount_system() - it is gone
 * @usage: of the file that paid
 * @pages: as many as were counted
 */
void tess_unaccount_system(struct tess_usage *usage, unsigned long pages)
{
	atomic_long_sub(pages, &tess_system_pages);
	atomic_long_sub(pages, &usage->system_pages);
}

/**
 * tess_account_vram() - count VRAM
 * @tdev: device
 * @usage: of the file that pays
 * @size: bytes
 * @pool: set to what the control group counts it in
 *
 * Return: 0; -ENOSPC the file or the control group has what it may; -ENOMEM.
 */
int tess_account_vram(struct tess_device *tdev, struct tess_usage *usage, u64 size,
		      struct dmem_cgroup_pool_state **pool)
{
	int ret;

	if (!tess_take(&usage->vram_pages, size >> PAGE_SHIFT,
		       tess_account_vram_limit(tdev) >> PAGE_SHIFT))
		return -ENOSPC;
	ret = tess_dmem_charge(tdev->dmem, size, pool);
	if (ret)
		atomic_long_sub(size >> PAGE_SHIFT, &usage->vram_pages);
	/* The control group's limit */
	return ret == -EAGAIN ? -ENOSPC : ret;
}

/**
 * tess_unaccount_vram() - it is gone
 * @usage: of the file that paid
 * @size: bytes
 * @pool: from tess_account_vram()
 */
void tess_unaccount_vram(struct tess_usage *usage, u64 size, struct dmem_cgroup_pool_state *pool)
{
	atomic_long_sub(size >> PAGE_SHIFT, &usage->vram_pages);
	tess_dmem_uncharge(pool, size);
}
