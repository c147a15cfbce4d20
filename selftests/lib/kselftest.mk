# SPDX-License-Identifier: GPL-2.0-or-later
#
# What lib.mk is to the kernel's own selftests: "run_tests" runs the programs of a directory with
# the kernel's runner, "install" puts them below INSTALL_PATH, "emit_tests" names them. The
# includer sets what it sets there: TEST_GEN_PROGS, programs in O that are run; TEST_PROGS, scripts
# that are; TEST_GEN_FILES and TEST_FILES, what those need. A directory may have "config", options
# that the kernel needs, and "settings" of the runner.

NAME := $(notdir $(CURDIR))
PROGS := $(addprefix $(O)/,$(TEST_GEN_PROGS)) $(addprefix $(CURDIR)/,$(TEST_PROGS))
FILES := $(addprefix $(O)/,$(TEST_GEN_FILES)) $(TEST_FILES) $(wildcard config settings)

run_tests: all
	@test -n "$(RUNNER)" || \
		{ echo "no kselftest/runner.sh here: KSRC=DIR, the source of a kernel" >&2; exit 1; }
	@BASE_DIR=$(SELFTESTS); . $(RUNNER); tap_prefix() { sed -u 's/^/# /'; }; run_many $(PROGS)

install: all
	@test -n "$(INSTALL_PATH)" || { echo "say where to: INSTALL_PATH=DIR" >&2; exit 1; }
	@mkdir -p $(INSTALL_PATH)
	@cp -a $(PROGS) $(FILES) $(INSTALL_PATH)/

emit_tests:
	@for test in $(notdir $(PROGS)); do echo "$(NAME):$$test"; done

.PHONY: run_tests install emit_tests
