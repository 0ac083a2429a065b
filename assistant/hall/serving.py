"""The hall's server: what it takes from clients that are slow or send too much."""

from __future__ import annotations

import uvicorn
from starlette.types import ASGIApp

from assistant.hall.options import HallOptions
from assistant.web.impatient import impatient

_KEEP_ALIVE_S = 75  # tables report every few seconds on connections that are kept


def hall_server(application: ASGIApp, options: HallOptions | None = None) -> uvicorn.Server:
    """A server that is ready to run; it has no WebSockets."""
    config = uvicorn.Config(
        application,
        http=impatient((options or HallOptions()).head_s),
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
    )
    return uvicorn.Server(config)
