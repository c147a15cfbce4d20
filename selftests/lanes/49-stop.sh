#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: a slice that does not reset: nothing is written after an unpin, nothing is left to the next; errors of the link
# timeout: 1000
# beside: yes

make -s -C selftests faults O="$PWD/out/selftests" >&2 || exit 1
TESSERA_FAULTS="stop errors" exec selftests/faults/check
