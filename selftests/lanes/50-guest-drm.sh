#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: DRM interface in a KVM guest, on a mediated vGPU of two slices
# timeout: 420
# beside: no
# backend: any

exec scripts/vm host --timeout 400 -- selftests/drm/guest.sh
