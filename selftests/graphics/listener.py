# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program does that shows a screen of QEMU's D-Bus display (org.qemu.Display1): it takes the
dma-buf of each picture, and the cursor."""

import mmap
import os
import socket
import time

from gi.repository import Gio, GLib

CONSOLE = "/org/qemu/Display1/Console_0"
LISTENER = """<node><interface name="org.qemu.Display1.Listener">
<method name="Scanout"><arg type="u" direction="in"/><arg type="u" direction="in"/>
 <arg type="u" direction="in"/><arg type="u" direction="in"/><arg type="ay" direction="in"/></method>
<method name="Update"><arg type="i" direction="in"/><arg type="i" direction="in"/>
 <arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="in"/>
 <arg type="u" direction="in"/><arg type="ay" direction="in"/></method>
<method name="ScanoutDMABUF"><arg type="h" direction="in"/><arg type="u" direction="in"/>
 <arg type="u" direction="in"/><arg type="u" direction="in"/><arg type="u" direction="in"/>
 <arg type="t" direction="in"/><arg type="b" direction="in"/></method>
<method name="UpdateDMABUF"><arg type="i" direction="in"/><arg type="i" direction="in"/>
 <arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="Disable"/>
<method name="MouseSet"><arg type="i" direction="in"/><arg type="i" direction="in"/>
 <arg type="i" direction="in"/></method>
<method name="CursorDefine"><arg type="i" direction="in"/><arg type="i" direction="in"/>
 <arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="ay" direction="in"/></method>
<property name="Interfaces" type="as" access="read"/>
</interface></node>"""


class Picture:
    """A dma-buf, mapped"""

    def __init__(self, fd, width, height, stride, fourcc):
        self.width, self.height, self.stride = width, height, stride
        self.fourcc = fourcc.to_bytes(4, "little").decode()
        self.memory = mmap.mmap(fd, stride * height, mmap.MAP_SHARED, mmap.PROT_READ)
        os.close(fd)

    def ppm(self):
        pixels = bytearray()
        for y in range(self.height):
            line = self.memory[y * self.stride:y * self.stride + self.width * 4]
            rgb = bytearray(self.width * 3)
            rgb[0::3], rgb[1::3], rgb[2::3] = line[2::4], line[1::4], line[0::4]
            pixels += rgb
        return b"P6\n%d %d\n255\n" % (self.width, self.height) + pixels


class Listener:
    """The listener of the first console; all happens in wait()."""

    def __init__(self, address):
        self.pictures, self.cursors, self.copied, self.updates, self.places = [], [], 0, 0, []
        self.peer = self.failure = None
        self.bus = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT |
            Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        ours, theirs = socket.socketpair()
        stream = Gio.Socket.new_from_fd(ours.detach()).connection_factory_create_connection()
        Gio.DBusConnection.new(
            stream, None, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT |
            Gio.DBusConnectionFlags.DELAY_MESSAGE_PROCESSING, None, None, self.connected)
        fds = Gio.UnixFDList.new()
        self.bus.call_with_unix_fd_list(
            "org.qemu", CONSOLE, "org.qemu.Display1.Console", "RegisterListener",
            GLib.Variant("(h)", (fds.append(theirs.fileno()),)), None, Gio.DBusCallFlags.NONE, -1,
            fds, None, self.registered)
        theirs.close()

    def connected(self, _, result):
        try:
            self.peer = Gio.DBusConnection.new_finish(result)
            info = Gio.DBusNodeInfo.new_for_xml(LISTENER).interfaces[0]
            self.peer.register_object("/org/qemu/Display1/Listener", info, self.called,
                                      lambda *_: GLib.Variant("as", []), None)
            self.peer.start_message_processing()
        except GLib.Error as e:
            self.failure = e

    def registered(self, bus, result):
        try:
            bus.call_with_unix_fd_list_finish(result)
        except GLib.Error as e:
            self.failure = e

    def called(self, _, __, ___, ____, method, parameters, invocation):
        values = parameters.unpack()
        if method == "ScanoutDMABUF":
            fds = invocation.get_message().get_unix_fd_list()
            self.pictures.append(Picture(fds.get(values[0]), *values[1:5]))
        elif method == "CursorDefine":
            self.cursors.append(values)
        elif method == "MouseSet":
            self.places.append(values)
        elif method == "UpdateDMABUF":
            self.updates += 1
        elif method in ("Scanout", "Update"):
            self.copied += 1
        invocation.return_value(None)

    def wait(self, true, what, seconds):
        end = time.monotonic() + seconds
        while not true():
            if self.failure:
                raise self.failure
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not after {seconds} s")
            if not GLib.MainContext.default().iteration(False):
                time.sleep(0.02)

    def resize(self, width, height):
        """The window has another size"""
        self.bus.call_sync("org.qemu", CONSOLE, "org.qemu.Display1.Console", "SetUIInfo",
                           GLib.Variant("(qqiiuu)", (0, 0, 0, 0, width, height)), None,
                           Gio.DBusCallFlags.NONE, -1, None)
