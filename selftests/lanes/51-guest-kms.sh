#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: modesetting in KVM guests: heads that come and go, what QEMU shows of a guest, console, panic
# timeout: 1800
# beside: yes
# backend: any

exec scripts/vm host --timeout 1780 -- selftests/drm/kms.sh
