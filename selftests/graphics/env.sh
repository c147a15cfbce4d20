# shellcheck shell=sh disable=SC2034 # sourced from the top directory of the tree
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an OpenGL program needs to find the Mesa of the layer "graphics" and the module of this
# tree; with graphics_gpu=sim on the simulated GPU.

mesa=/usr/lib/tessera/mesa
libtessera=$PWD/out/tools/lib
[ "${graphics_gpu:-}" != sim ] || libtessera=$libtessera/sim
export __EGL_VENDOR_LIBRARY_FILENAMES="$mesa/share/glvnd/egl_vendor.d/50_tessera.json"
export LD_LIBRARY_PATH="$libtessera:$mesa/lib" GBM_BACKENDS_PATH="$mesa/lib/gbm"
export TESSERA_GL_MODULE="$PWD/out/tools/mesa/libtessera-gl.so"
export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-/tmp/graphics-shaders}"
