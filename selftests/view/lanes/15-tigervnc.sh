#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: TigerVNC's viewer shows what tessera-view sends
# timeout: 900

exec selftests/view/tigervnc.py
