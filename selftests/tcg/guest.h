/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmm.c and the guest in guest.S share: addresses in the guest, and its port. */
#ifndef GUEST_H
#define GUEST_H

#define GUEST_PML4 0x1000
#define GUEST_PDPT 0x2000
#define GUEST_PD 0x6000
#define GUEST_IDT 0x3000
#define GUEST_IDT_POINTER 0x4000
#define GUEST_GDT 0x4100
#define GUEST_TICKS 0x5000
#define GUEST_TWICE 0x5008
#define GUEST_BAD 0x5010
#define GUEST_CODE 0x8000
#define GUEST_STACK 0x10000
#define GUEST_MEMORY 0x10000

#define GUEST_PORT 0x600
#define GUEST_VECTOR 0xec

#endif
