#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: completion of tesseractl in bash, zsh and fish
# timeout: 900
# beside: yes

export PYTHONDONTWRITEBYTECODE=1
make -s -C selftests cli O="$PWD/out/selftests" >&2 || exit 1
exec python3 selftests/cli/shells_test.py out/selftests/cli/asan/tesseractl
