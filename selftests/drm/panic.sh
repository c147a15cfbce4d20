#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/drm/panic.sh
#
# In a guest with a head: shows a picture, waits for a line from whoever looked at it, and then the
# kernel panics and stays so.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

out/selftests/drm/kms_pattern -t 600 &
read -r _
echo 0 >/proc/sys/kernel/panic
sync
echo c >/proc/sysrq-trigger
