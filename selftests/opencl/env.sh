# shellcheck shell=sh disable=SC2034 # sourced from the top directory of the tree
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an OpenCL program needs to find the driver of this tree; with opencl_gpu=sim on the
# simulated GPU.

opencl=$PWD/out/tools/opencl
libtessera=$PWD/out/tools/lib
# Compiled kernels: not where other users of this machine could put theirs; in a virtual
# machine, which has none, where it is fast
kernels=/tmp/opencl-kernels
if [ "${opencl_gpu:-}" = sim ]; then
	libtessera=$libtessera/sim
	kernels=$opencl/kernels
fi
export LD_LIBRARY_PATH="$opencl:$libtessera" POCL_CACHE_DIR="${POCL_CACHE_DIR:-$kernels}"
