"""A network camera on loopback: GStreamer's RTSP server, run by the system's own Python, which has its bindings.

`python3 rtsp_server.py PORT PICTURE WIDTH HEIGHT [USER PASSWORD]` shows a picture as H.264 and prints `ready`.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any


def serve(port: str, picture: str, width: str, height: str, *login: str) -> None:
    """Serves rtsp://127.0.0.1:PORT/live until it is killed."""
    gi: Any = importlib.import_module("gi")
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    gst: Any = importlib.import_module("gi.repository.Gst")
    rtsp: Any = importlib.import_module("gi.repository.GstRtspServer")
    glib: Any = importlib.import_module("gi.repository.GLib")
    gst.init(None)
    server = rtsp.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = rtsp.RTSPMediaFactory()
    factory.set_launch(
        f"( multifilesrc location={picture} loop=true caps=image/jpeg,framerate=10/1 ! jpegdec ! videoconvert"
        f" ! videoscale ! video/x-raw,width={width},height={height},format=I420"
        " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay name=pay0 pt=96 )"
    )
    factory.set_shared(True)
    if login:
        user, password = login
        auth, token, allowed = rtsp.RTSPAuth(), rtsp.RTSPToken(), rtsp.RTSPPermissions()
        token.set_string("media.factory.role", "user")
        auth.add_basic(rtsp.RTSPAuth.make_basic(user, password), token)
        server.set_auth(auth)
        for right in ("media.factory.access", "media.factory.construct"):
            allowed.add_permission_for_role("user", right, True)
        factory.set_permissions(allowed)
    server.get_mount_points().add_factory("/live", factory)
    server.attach(None)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    glib.MainLoop().run()


if __name__ == "__main__":
    serve(*sys.argv[1:])
