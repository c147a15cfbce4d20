# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recipes print "  CC	file" instead of their commands, as kbuild's do; V=1 prints commands.
# $(call say,CC) comes before the commands of a recipe, $(Q) begins each of them. make -s
# prints nothing.

QUIET_TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
V	?=
Q	:= $(if $(filter 1,$(V)),,@)
SILENT	:= $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say	= $(if $(Q),$(if $(SILENT),,@echo '  $(1)	$(patsubst $(QUIET_TOP)/%,%,$@)'))
