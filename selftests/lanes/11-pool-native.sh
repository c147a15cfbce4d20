#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: placement of vGPUs, the kernel's source in user space
# timeout: 300

make -s -C selftests pool O="$PWD/out/selftests" && exec out/selftests/pool/place
