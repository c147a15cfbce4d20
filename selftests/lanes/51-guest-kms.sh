#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: modesetting in KVM guests: vGPUs with display heads, also while these come and go
# timeout: 600
# beside: no

exec scripts/vm host --timeout 580 -- selftests/drm/kms.sh
