#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Debian packages: used on a host VM and in its guest, upgraded, purged; OpenCL, remoting, OpenGL
# timeout: 3600
# beside: no

exec selftests/packages/deb.sh
