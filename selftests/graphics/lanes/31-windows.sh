#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenGL programs that others wrote, on the host and in a guest with a whole GPU
# timeout: 3000

exec scripts/vm host --with gl-apps --mem 6G --gpus 2 --iommu --timeout 2900 -- \
	selftests/graphics/windows.sh
