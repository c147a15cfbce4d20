# SPDX-License-Identifier: GPL-2.0-or-later
#
# Entry point of everything; "make help" lists the targets. All output goes to
# out/. Whatever needs tools runs in the environment (scripts/env), which is
# made on demand; only "make modules KDIR=..." uses this machine's own compiler.

OUT	:= $(CURDIR)/out
JOBS	?= $(shell nproc)
ENV	:= $(if $(wildcard /etc/tessera-env),,scripts/env run )
IN_ENV	:= $(ENV)make --no-print-directory -j$(JOBS) $(if $(DRIVERS),DRIVERS="$(DRIVERS)")

# User-space directories, each with a Makefile that takes O=.
DIRS	:= tools/model tools/lib tools/run tools/cli tools/host tools/mdevctl tools/tcg examples selftests
HAVE	:= $(patsubst %/Makefile,%,$(wildcard $(DIRS:%=%/Makefile)))

export V
MAKEFLAGS += --no-print-directory

# A line for each step of the build; V=1 shows compiler calls
PROGRESS := scripts/progress

all: modules tools

help:
	@echo 'make              kernel modules, GPU model, library and tools, in out/'
	@echo 'make demo         two KVM guests compute on composed vGPUs; installs its requirements'
	@echo 'make demo-gl      OpenGL on the screen of a vGPU that gets other slices, and another GPU'
	@echo 'make demo-opencl  the same OpenCL programs in a guest with a vGPU and in one without a GPU'
	@echo 'make check        all tests; LANES="NAME..." runs some of them, LIST=1 lists them, also of check-...;'
	@echo '                  BACKEND=user: those of GPUs, on GPUs that a process serves;'
	@echo '                  FULL=1: all lanes but those by name, and all of them on both kernels'
	@echo 'make lint         W=1, sparse, checkpatch, clang-format, shellcheck, documents'
	@echo 'make docs         Documentation as HTML, in out/docs; a warning is an error'
	@echo 'make shell        an interactive host VM; VM="--kernel 7.2 --gpus 2" sets options'
	@echo 'make modules      modules for both kernels of the environment, or with KDIR=DIR'
	@echo '                  for that kernel build directory with this machine'"'"'s compiler;'
	@echo '                  DRIVERS="core pci" builds some of them'
	@echo 'make modules_install KDIR=DIR   install them (INSTALL_MOD_PATH as in the kernel)'
	@echo 'make tools, model, lib   build only these parts'
	@echo 'make install      all of these for users, with those of layers if built; PREFIX (/usr/local), DESTDIR'
	@echo 'make uninstall    remove what was installed there'
	@echo 'make deb          Debian packages in out/deb; of OpenCL, OpenGL and tessera-view if they were built'
	@echo 'make opencl       OpenCL for GPUs and vGPUs: a driver for PoCL, in out/tools/opencl'
	@echo 'make check-opencl  its tests; OPENCL="native host" for some of them'
	@echo 'make check-packages  Debian packages in use; completion of shells; PACKAGES="shells" for some of them'
	@echo 'make graphics     OpenGL for GPUs and vGPUs: what Mesa draws with, in out/tools/mesa'
	@echo 'make check-graphics  its tests; GRAPHICS="native" for some of them'
	@echo 'make view         tessera-view, which shows heads of vGPUs to VNC viewers, in out/tools/view'
	@echo 'make check-view   its tests; VIEW="native" for some of them'
	@echo 'make bench-model  speed of the GPU model, in out/bench-model.json'
	@echo 'make bench        a vGPU compared with passthrough and the host, in out/bench.json, bench.png'
	@echo 'make bench-sched  shares, overhead and moves of time-sharing, in out/bench-sched.json'
	@echo 'make bench-compose  recomposition of running vGPUs, in out/bench-compose.json'
	@echo 'make bench-migrate  vGPUs that go on elsewhere, in out/bench-migrate.json'
	@echo 'make bench-user   GPUs that a process serves, beside GPUs on PCI, in out/bench-user.json'
	@echo 'make bench-gl     OpenGL on the simulated GPU and in two guests, in out/bench-gl.json'
	@echo 'make bench-view   tessera-view against QEMU on VNC, in out/bench-view.json'
	@echo 'make bench-api    an OpenCL program on host, passthrough, vGPU and server, in out/bench-api.json, .png'
	@echo 'make fuzz         fuzzers with sanitizers; SECONDS=60 for each, TARGET="packet isa" runs some'
	@echo 'make fuzz-kernel  hostile clients in a host VM; SECONDS=60 TARGET=guest SEED=N KERNEL=7.2'
	@echo 'make check-faults  failing hosts, VMMs and GPUs; KERNELS="6.12 7.2" FAULTS="guests" for some'
	@echo 'make check-debug  tests on a debug kernel (KASAN, lockdep, KUnit); DEBUG="kunit" runs some'
	@echo 'make soak         many random vGPUs with faults, in out/soak.json; MINUTES=5 SEED=N KERNEL=7.2'
	@echo 'make dashboard    the dashboard of the metrics in Prometheus, out/dashboard.png'
	@echo 'V=1 shows commands instead of a line for each step, and all output of tests'
	@echo 'make clean        remove out/; scripts/env clean removes the environment'

# ---- kernel modules ----------------------------------------------------------
# Built in a copy of the sources made of links, so that builds for several
# kernels stand side by side and the tree stays clean. What VMs load is without
# debug information, which stays in out/build. For the environment's kernels no
# warning passes: scripts/lint has only sparse to add, and takes the same objects.

ifdef KDIR
RELEASE := $(shell cat $(KDIR)/include/config/kernel.release 2>/dev/null)
BUILD	:= $(OUT)/build/$(RELEASE)
# A directory with modules that are not part of the stack
PART	:=
# Failures on demand: in modules for the environment's VMs, not in what is installed
INJECT	:= $(if $(ENV),,y)
KBUILD	= $(MAKE) -C $(KDIR) M=$(BUILD)$(PART:%=/%) $(if $(W),W=$(W)) $(if $(C),C=$(C)) \
	  $(if $(WERROR),KCFLAGS=-Werror) $(if $(INJECT),TESSERA_INJECT=$(INJECT))

# One build at a time per kernel; several of make check's steps may ask for it.
modules: mirror
	+@flock $(BUILD).lock $(PROGRESS) "modules for $(RELEASE)$(PART:%=, %)" $(KBUILD) modules
	@mkdir -p $(OUT)/modules/$(RELEASE)
	@for ko in $$(find $(BUILD) -name '*.ko'); do \
		to=$(OUT)/modules/$(RELEASE)/$${ko##*/}; \
		[ "$$to" -nt "$$ko" ] || \
			{ strip --strip-debug -o "$$to.new" "$$ko" && mv "$$to.new" "$$to"; } || exit; \
	done

modules_install: modules
	+$(KBUILD) INSTALL_MOD_DIR=updates modules_install

mirror:
	@test -n "$(RELEASE)" || { echo "no configured kernel in KDIR=$(KDIR)" >&2; exit 1; }
	@scripts/mirror $(BUILD) $(or $(PART),Kbuild drivers include)
else
modules:
	+@$(if $(ENV),$(IN_ENV) $@,for k in /lib/modules/*/build; do \
		for part in "" scripts/vm.d/kvm; do \
			$(MAKE) $@ KDIR=$$k PART=$$part W=1 WERROR=1 || exit; done; done)

modules_install:
	@echo 'say for which kernel: make modules_install KDIR=/lib/modules/$$(uname -r)/build' >&2
	@exit 2
endif

# ---- user space ----------------------------------------------------------------

ifeq ($(ENV),)
model: tools/model
lib: tools/lib
tools: $(HAVE)

$(HAVE):
	+@$(PROGRESS) $@ $(MAKE) -C $@ O=$(OUT)/$@

# A GPU that is a library: for tests of what others build on libtessera
simulated: tools/lib
	+@$(PROGRESS) "simulated GPU" $(MAKE) -C tools/lib O=$(OUT)/tools/lib $@

bench-model: tools/model
	+@$(MAKE) -C tools/model O=$(OUT)/tools/model BEFORE_SRC=$(BEFORE_SRC) bench

tools/run examples selftests: $(filter tools/lib,$(HAVE))
.PHONY: $(DIRS)
else
model lib tools simulated:
	@$(IN_ENV) $@

# The engine at this commit is what the present one is compared with; an archive of the sources
# has no history.
BENCH_BEFORE := 36c2887
BEFORE_SRC := $(OUT)/before-$(BENCH_BEFORE)
bench-model:
	@rm -rf $(BEFORE_SRC) && mkdir -p $(BEFORE_SRC)
	@git archive $(BENCH_BEFORE) tools/model/isa | tar -x -C $(BEFORE_SRC) || \
		{ echo "no commit $(BENCH_BEFORE) here: nothing to compare with" >&2; rm -r $(BEFORE_SRC); }
	@$(IN_ENV) $@ BEFORE_SRC=$$(ls -d $(BEFORE_SRC)/tools/model 2>/dev/null)
endif

# PoCL and its compiler are in a layer of the environment, which is made once on demand.
WITH_OPENCL := scripts/env --with opencl run

opencl: lib simulated
	+@$(PROGRESS) tools/opencl $(WITH_OPENCL) make --no-print-directory -j$(JOBS) \
		-C tools/opencl O=$(OUT)/tools/opencl LIB=$(OUT)/tools/lib all

# Mesa is in another one.
WITH_GRAPHICS := scripts/env --with graphics run

graphics: lib simulated
	+@$(PROGRESS) tools/mesa $(WITH_GRAPHICS) make --no-print-directory -j$(JOBS) \
		-C tools/mesa O=$(OUT)/tools/mesa LIB=$(OUT)/tools/lib all
	+@$(PROGRESS) examples/gl $(WITH_GRAPHICS) make --no-print-directory -j$(JOBS) \
		-C examples/gl O=$(OUT)/examples/gl all

# The libraries that a VNC server needs are in a third one.
view_LAYER := displays
WITH_DISPLAYS := scripts/env --with displays run

view: lib
	+@$(PROGRESS) tools/view $(WITH_DISPLAYS) make --no-print-directory -j$(JOBS) \
		-C tools/view O=$(OUT)/tools/view LIB=$(OUT)/tools/lib all

# The lanes "opencl", "graphics", "packages" and "view" wait until what they need is made, beside other lanes
# (see scripts/layer-made). They skip their tests, and say why, where Debian's archive has the source
# of a layer no more.
layer_of = $(or $($(1)_LAYER),$(1))
opencl-if-possible graphics-if-possible packages-if-possible view-if-possible: %-if-possible: lib
	+@status=0; rm -f $(OUT)/$*.missing; scripts/env --with $(call layer_of,$*) build || status=$$?; \
		case $$status in \
		0) $(MAKE) --no-print-directory $* ;; \
		4) echo "the archive does not have what the layer $(call layer_of,$*) is made of" \
			>$(OUT)/$*.missing ;; \
		*) exit 1 ;; \
		esac

# ---- installing it ------------------------------------------------------------------
# What is built is put below out/ first, in the environment, so that it is known what there is to
# remove later; this machine only copies it. OpenCL and OpenGL lie where PoCL and Mesa look for
# their parts.

PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
DESTDIR	?=
STAGE	:= $(OUT)/stage
INSTALLED := $(patsubst /%,%,$(PREFIX))/share/tessera/installed
INSTALL_DIRS := tools/model tools/lib tools/run tools/cli tools/host tools/mdevctl examples

# What was built in a layer is installed as it is, with what it was built with
opencl_DIR := tools/opencl
graphics_DIR := tools/mesa
view_DIR := tools/view
BUILT_LAYERS := $(if $(wildcard $(OUT)/tools/opencl/libpocl-devices-tessera.so),opencl) \
	$(if $(wildcard $(OUT)/tools/mesa/libtessera-gl.so),graphics) \
	$(if $(wildcard $(OUT)/tools/view/tessera-view),view)
in_layers = $(foreach l,$(1),scripts/env --with $(call layer_of,$(l)) run make -s -C $($(l)_DIR) O=$(OUT)/$($(l)_DIR) \
	LIB=$(OUT)/tools/lib $(subst LAYER,$(l),$(2)) install-all &&) true

ifeq ($(ENV),)
stage: $(INSTALL_DIRS)
	@rm -rf $(STAGE)
	@for dir in $(INSTALL_DIRS); do \
		$(MAKE) -s -C $$dir O=$(OUT)/$$dir DESTDIR=$(STAGE) PREFIX=$(PREFIX) \
			LIBDIR=$(LIBDIR) install || exit; done
else
stage:
	@$(IN_ENV) $@ PREFIX=$(PREFIX) LIBDIR=$(LIBDIR)
	@$(call in_layers,$(BUILT_LAYERS),DESTDIR=$(STAGE) PREFIX=$(PREFIX))
endif

install: stage
	@scripts/install put $(STAGE) "$(DESTDIR)/" $(INSTALLED)

uninstall:
	@scripts/install remove "$(DESTDIR)/" $(INSTALLED)

# Debian's packages, in the layer that has its tools: out/deb/*.deb, and what lintian says of them. What
# is built in a layer of its own is packaged if it was built: Debian does not have what it is built with.
comma := ,
PACKAGED := $(OUT)/deb/tessera
DEB_LAYERS ?= $(BUILT_LAYERS)
deb: $(DEB_LAYERS)
	@rm -rf $(OUT)/deb && mkdir -p $(PACKAGED)
	@tar -c --exclude=./out --exclude=./.git . | tar -x -C $(PACKAGED)
	@$(call in_layers,$(DEB_LAYERS),DESTDIR=$(PACKAGED)/debian/LAYER PREFIX=/usr)
	@$(PROGRESS) packages $(WITH_PACKAGES) sh -c "cd $(PACKAGED) && \
		dpkg-buildpackage -b -us -uc -P$(subst $() ,$(comma),$(strip $(DEB_LAYERS:%=pkg.tessera.%)))"
	@$(WITH_PACKAGES) lintian --fail-on error --info --tag-display-limit 0 $(OUT)/deb/*.changes

# Those that need no other layer, for "make check"
packages:
	+@$(MAKE) deb DEB_LAYERS=

# ---- running it ------------------------------------------------------------------

# With LIST=1, those that run lanes name them, and nothing is built
ALL := $(if $(LIST),,all)
CHECK := scripts/check $(if $(LIST),--list)

# Lanes that need a layer, of those that run
LAYER_LANES := $(if $(LIST)$(BACKEND),,$(if $(LANES),$(filter opencl graphics packages view,$(LANES)),packages opencl graphics view))
check: $(ALL)
	@$(if $(LIST),,$(if $(FULL)$(filter across,$(LANES)),scripts/env --with ssh build))
	@$(if $(FULL),TESSERA_FULL=1) scripts/check $(LAYER_LANES:%=--make %) $(if $(LIST),--list) \
		$(if $(BACKEND),--backend $(BACKEND)) $(LANES)

lint:
	@scripts/lint

docs:
	@scripts/lint docs

demo: all
	@scripts/demo

demo-gl: all graphics
	@scripts/demo-gl

demo-opencl: all opencl
	@scripts/demo-opencl

shell: all
	@scripts/vm host $(VM) --interactive

bench: all
	+@$(IN_ENV) -s -C tools/bench/gpu O=$(OUT)/tools/bench/gpu
	@$(ENV)tools/bench/bench-gpu $(if $(QUICK),--quick)

bench-sched: all
	@$(ENV)tools/bench/bench-sched

# Parts of it need a kernel in which vGPUs log what they write
bench-migrate: $(if $(filter copy guest,$(ONLY)),all,debug-modules)
	@$(ENV)tools/bench/bench-migrate $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

bench-compose: all
	@$(ENV)tools/bench/bench-compose $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

bench-user: all
	+@$(IN_ENV) -s -C tools/bench/gpu O=$(OUT)/tools/bench/gpu
	@$(ENV)tools/bench/bench-user $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

bench-api: all opencl
	+@$(IN_ENV) -s -C tools/bench/gpu O=$(OUT)/tools/bench/gpu
	@$(ENV)tools/bench/bench-api $(if $(QUICK),--quick)

bench-view: all view
	@$(ENV)tools/bench/bench-view $(if $(QUICK),--quick)

bench-gl: all graphics
	@$(WITH_GRAPHICS) tools/bench/bench-gl

# bash has a variable of that name: the environment does not count
FUZZ_SECONDS := $(if $(filter command,$(firstword $(origin SECONDS))),$(SECONDS),60)

fuzz:
	+@$(IN_ENV) -C selftests/fuzz O=$(OUT)/selftests/fuzz native
	@$(ENV)selftests/fuzz/run.sh $(FUZZ_SECONDS) $(TARGET)

fuzz-kernel: all
	@$(ENV)env TESSERA_BACKEND="$(BACKEND)" selftests/fuzz/kernel.sh $(or $(KERNEL),6.12) $(FUZZ_SECONDS) \
		$(or $(SEED),$$(date +%s)) $(TARGET)

check-faults: all
	@$(ENV)env TESSERA_FAULT_KERNELS="$(KERNELS)" TESSERA_FAULTS="$(FAULTS)" \
		selftests/faults/check

# The kernel's build takes a while; it is kept. KDIR is known only then. Guests have another one,
# and the kernel's VFIO selftests are a download of their own.
debug-modules: all
	@scripts/kernel build
	@$(if $(filter vfio,$(DEBUG)),scripts/kernel tests >/dev/null)
	+@$(IN_ENV) modules KDIR="$$(scripts/kernel path)/build" W=1 WERROR=1

check-debug: $(if $(LIST),,debug-modules)
	@$(CHECK) --lanes-dir selftests/debug/lanes $(DEBUG)

check-opencl: $(if $(LIST),,all opencl)
	@$(if $(LIST),,$(WITH_OPENCL)) $(CHECK) --lanes-dir selftests/opencl/lanes $(OPENCL)

# Programs that others wrote are in a layer on top of that
check-graphics: $(if $(LIST),,all graphics)
	@$(if $(LIST),,scripts/env --with gl-apps run) $(CHECK) --lanes-dir selftests/graphics/lanes \
		$(GRAPHICS)

check-view: $(if $(LIST),,all view)
	@$(if $(LIST),,scripts/env --with viewers run) $(CHECK) --lanes-dir selftests/view/lanes $(VIEW)

# Shells and what makes Debian packages are in a layer
WITH_PACKAGES := scripts/env --with packages run

WITH_DEB := $(if $(LIST),,$(if $(or $(if $(PACKAGES),,deb),$(filter deb,$(PACKAGES))),yes))
check-packages: $(ALL)
	+@$(if $(WITH_DEB),$(MAKE) opencl-if-possible graphics-if-possible view-if-possible && $(MAKE) deb)
	@$(if $(LIST),,$(WITH_PACKAGES)) $(CHECK) --lanes-dir selftests/packages/lanes $(PACKAGES)

soak: all
	@$(ENV)selftests/soak/soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) \
		$(if $(KERNEL),--kernel $(KERNEL))

dashboard: all
	@scripts/env --with dashboard run selftests/dashboard/dashboard

clean:
	rm -rf out

.PHONY: all help modules debug-modules modules_install mirror model lib tools stage install uninstall deb packages \
	bench-model opencl simulated graphics graphics-if-possible \
	opencl-if-possible packages-if-possible view view-if-possible check lint docs demo demo-gl demo-opencl shell bench bench-sched \
	bench-compose bench-migrate bench-user bench-api bench-view bench-gl fuzz fuzz-kernel check-faults check-debug \
	check-opencl check-graphics check-view check-packages soak dashboard clean
