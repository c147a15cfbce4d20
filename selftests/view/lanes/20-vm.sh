#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: tessera-view of vGPUs, and of what a KVM guest draws
# timeout: 900

exec scripts/vm host --with displays --timeout 850 -- selftests/view/device.py guest
