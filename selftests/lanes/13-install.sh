#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: make install, use of what is installed, make uninstall
# timeout: 900

exec selftests/install/install.sh
