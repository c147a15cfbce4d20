#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: DRM interface in a KVM guest, on a mediated vGPU of two slices
# timeout: 700
# beside: yes
# backend: any

exec scripts/vm host --timeout 680 -- selftests/drm/guest.sh
