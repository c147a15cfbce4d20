#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The part of make bench-user that is no test of another lane, in short; TAP.

. scripts/ktap.sh
ktap_begin
check "a served GPU is as fast as one on PCI" tools/bench/bench-user --quick --only speed
ktap_end
