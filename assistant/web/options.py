"""Every limit of the server in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Sizes, rates and times; all chosen, so that two cores and a home network are enough for 200 watchers."""

    kept_messages: int = 1024  # a reconnecting client that missed more gets a snapshot
    kept_message_bytes: int = 16_000_000
    kept_events: int = 20_000  # of one game; older ones are in the log
    kept_states: int = 5_000  # packed, about 3 kB each
    state_events: int = 50  # in `state`, by the contract
    events_at_once: int = 1_000  # in one answer of `events`
    heartbeat_s: float = 5.0  # a status at least this often, so that clocks on other screens stay right
    clients: int = 600  # WebSockets at a time
    client_messages: int = 128  # waiting for one client; with more it is dropped
    client_bytes: int = 4_000_000
    send_s: float = 15.0  # a client that takes nothing for so long is dropped
    connections: int = 1_500  # all of them; further ones get 503
    head_s: float = 10.0  # for a request's head to arrive
    body_s: float = 10.0  # for its body
    body_bytes: int = 65_536
    question_letters: int = 500
    waiting_jobs: int = 64  # questions and pictures that wait for a worker; further ones get 503
    asks_per_s: float = 20.0  # of one address
    asks_burst: float = 200.0
    calls_per_s: float = 0.1  # of one address: "call the referee"
    calls_burst: float = 3.0
    wrong_keys_per_s: float = 1.0  # of one address
    wrong_keys_burst: float = 60.0
    picture_px: tuple[int, int] = (16, 3840)
    stream_fps: tuple[float, float] = (0.2, 15.0)
    streams: int = 24  # of pictures, at a time
    action_s: float = 4.0  # how long an answer to a referee waits until what was said is in the game
