#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: static checks: W=1, sparse, checkpatch, clang-format, shellcheck, SPDX
# timeout: 1800

exec scripts/lint
