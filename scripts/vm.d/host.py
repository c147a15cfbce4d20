# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/vm host: a host VM with model GPUs on this machine."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time

import machine
import tsc
from machine import INFRASTRUCTURE, TREE, Machine, comma, fail

MODEL = os.path.join(TREE, "out/tools/model/tessera-model")
# Mends the KVM of translated host VMs; Documentation/testing.rst
MEND = os.path.join(TREE, "out/tools/tcg/mend.so")
BACKENDS = {"pci": ["tessera_pci"], "user": ["tessera_user"],
            "both": ["tessera_pci", "tessera_user"]}
PROBE_TIMEOUT = 15
# How often a translated host VM is booted that dies before its first program runs
BIRTHS = 2


def cache():
    return os.environ.get("TESSERA_CACHE", "/tmp")


def root_image():
    path = os.environ.get("TESSERA_ROOT_IMAGE", "")
    return path if os.path.exists(path) else fail("no root image: run through scripts/env")


def layer_image(name):
    """The image of a layer of the environment, which was made before."""
    out = subprocess.run([os.path.join(TREE, "scripts/env"), "--with", name, "image"],
                         stdout=subprocess.PIPE, check=False, text=True)
    path = out.stdout.strip()
    return path if os.path.exists(path) else fail(f"no layer {name}: scripts/env --with {name} build")


def probe_kvm():
    """Boot with KVM and look whether KVM can be nested; a mere /dev/kvm says little."""
    opts = argparse.Namespace(
        kernel="6.12", accel="kvm", mem="1G", smp=1, timeout=PROBE_TIMEOUT, qmp=None, env=[],
        verbose=False, allow_splat=True, keep_log=None, tsc_khz=0,
        command=["grep", "-qwE", "svm|vmx", "/proc/cpuinfo"])
    with Machine(opts, "host", root_image()) as m:
        m.out_fd = m.err_fd = os.open("/dev/null", os.O_WRONLY)
        return m.run(m.base_args(())) == 0


def choose_accel():
    """kvm if that really works here (asked once per boot), else tcg."""
    forced = os.environ.get("TESSERA_ACCEL")
    if forced:
        return forced
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    with open("/proc/sys/kernel/random/boot_id") as f:
        note = os.path.join(cache(), "accel-" + f.read().strip())
    try:
        with open(note) as f:
            return f.read().strip()
    except FileNotFoundError:
        accel = "kvm" if probe_kvm() else "tcg"
    with open(note + ".new", "w") as f:
        f.write(accel + "\n")
    os.rename(note + ".new", note)
    return accel


def preload():
    """What a QEMU that translates gets: what mends it, and what a test wants in it."""
    mend = [MEND] if os.environ.get("TESSERA_TCG_MEND", "1") == "1" else []
    return [lib for lib in mend + os.environ.get("TESSERA_TCG_PRELOAD", "").split()
            if os.path.exists(lib)]


def start_model(m, n, model_args):
    """Start GPU model n; returns it with the socket it listens on."""
    if not os.access(MODEL, os.X_OK):
        fail(f"{os.path.relpath(MODEL, TREE)} is not built (make model)")
    sock, log = m.path(f"gpu{n}.sock"), m.path(f"gpu{n}.log")
    child = m.spawn([MODEL, "--socket", sock] + shlex.split(model_args), log)
    for _ in range(200):
        if os.path.exists(sock):
            return child, sock
        if child.poll() is not None:
            break
        time.sleep(0.05)
    with open(log, errors="replace") as f:
        return fail(f"GPU model {n} does not start: {f.read()[-2000:]}")


def args_of_models(opts):
    """The options of each model: their own, or the same for all."""
    given, gpus = opts.model_args or [""], opts.gpus * len(BACKENDS[opts.backend])
    if len(given) not in (1, gpus):
        fail(f"{len(given)} times --model-args for {gpus} GPUs: give it once, or for each")
    return given if len(given) == gpus else given * gpus


def gpu_args(n, sock):
    """Each GPU sits on a port of its own, so that it can be unplugged."""
    device = {"driver": "vfio-user-pci", "id": f"gpu{n}", "bus": f"gpuport{n}",
              "socket": {"type": "unix", "path": sock}}
    return ["-device", f"pcie-root-port,id=gpuport{n},chassis={n + 1},slot={n + 1},bus=pcie.0",
            "-device", json.dumps(device)]


def modules_of(opts):
    return () if opts.bare else ("tessera", "tessera_chip", *BACKENDS[opts.backend],
                                 "tessera_drm", "tessera_mdev")


def serve_models(m, opts, model_args):
    """Let the host VM itself serve the last of its GPUs (init.sh); options of the others."""
    if opts.bare:
        fail(f"--backend {opts.backend} with --bare: there is no module that takes the GPUs")
    m.served, m.driver = model_args[-opts.gpus:] if opts.gpus else [], BACKENDS[opts.backend][0]
    return model_args[:len(model_args) - opts.gpus]


def model_trouble(m, models):
    """Tell about models that ended by themselves."""
    bad = False
    for n, child in enumerate(models):
        code = child.poll()
        if code not in (None, 0):
            bad = True
            m.say(f"GPU model {n} ended with status {code}")
            with open(m.path(f"gpu{n}.log"), errors="replace") as f:
                for line in f.read().splitlines()[-20:]:
                    m.say("| " + line)
    return bad


def run(opts, prepare=lambda m: None):
    opts.accel = choose_accel()
    opts.tsc_khz = tsc.khz()
    layer = layer_image(opts.layer) if opts.layer else None
    for births_left in range(BIRTHS - 1, -1, -1):
        status, stillborn = boot_once(opts, layer, prepare, births_left > 0)
        if not stillborn:
            break
        print("vm: host: stillborn: booting it again", file=sys.stderr, flush=True)
    return status


def boot_once(opts, layer, prepare, doubtful):
    """Returns the status, and whether the machine died before its first program ran."""
    model_args = args_of_models(opts)
    with Machine(opts, "host", root_image(), layer) as m:
        m.translated = opts.accel == "tcg"
        m.may_be_stillborn = m.translated and doubtful
        prepare(m)
        if opts.backend != "pci":
            model_args = serve_models(m, opts, model_args)
        argv = m.base_args(modules_of(opts))
        m.preload = preload() if opts.accel == "tcg" else []
        if opts.iommu:
            # The AMD one ends QEMU when tables go with the pages that they map (7.2 frees them so)
            argv += ["-device", "intel-iommu,caching-mode=on"]
        models = []
        for n, args in enumerate(model_args):
            child, sock = start_model(m, n, args)
            models.append(child)
            argv += gpu_args(n, sock)
        argv += opts.qemu_arg
        status = m.run(argv)
        m.keep_log()
        if model_trouble(m, models) and status not in (machine.TIMEOUT, machine.STALLED):
            return INFRASTRUCTURE, False
        return status, m.stillborn
