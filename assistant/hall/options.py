"""Options of the hall: sizes and times, each with its unit and origin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HallOptions:
    """Bounds on what a table may send and how long anybody waits."""

    # the table's side
    batch_entries: int = 200  # entries a table sends at once; chosen: a request stays under a megabyte
    pause_s: float = 5.0  # seconds between two reports while nothing happens; chosen: 1,000 tables are 200 a second
    asking_pause_s: float = 1.0  # seconds between two reports while a judge is asked; chosen: an answer is awaited
    longest_pause_s: float = 30.0  # seconds between tries while the hall is away; chosen
    request_s: float = 10.0  # seconds until a request is given up; chosen
    clock_slip_s: float = 2.0  # how far the hall's running clock may be off before it is told anew; chosen
    clip_s: float = 30.0  # seconds to wait for a clip that is being written; chosen: clips end 2 s after the move
    frame_pause_s: float = 0.5  # seconds between two pictures of the camera while on air; chosen
    frame_width_px: int = 1280  # of the camera's picture while on air; chosen: 100 to 200 KB each

    # the hall's side
    head_s: float = 10.0  # seconds for the head of a connection's first request; chosen, as for a served game
    body_s: float = 30.0  # seconds for a request's body; chosen: a table gives its own requests up after 10
    body_bytes: int = 8 << 20  # bytes of one request; chosen: a batch with a few pictures, or one clip
    picture_bytes: int = 2 << 20  # bytes of one picture; chosen: a 1080p JPEG has a fifth of that
    group_reports: int = 200  # reports written in one transaction; chosen: one takes a tenth of a second
    read_threads: int = 4  # threads that read the database for pages; chosen: more wait for the same processor
    mirror_s: float = 0.5  # seconds after which pages may see a table again; chosen: pages ask once a second
    pairings_s: float = 5.0  # seconds after which new pairings of another hall process are seen; chosen
    frame_kept_s: float = 10.0  # seconds after which a picture of the camera is old; chosen
    away_s: float = 20.0  # seconds of silence after which a table is away; chosen: four reports are missing
    queue_answers: int = 100  # answers that are sent to a table at once; chosen
    wanted_evidence: int = 5  # questions of which evidence is asked for at once; chosen
    shown_events: int = 50  # newest events in a table's state; contract-web's number
    name_letters: int = 60  # letters of a table's name; chosen
    pairings: int = 10_000  # rows of pairings or results at once; chosen
    keys_kept: int = 8  # keys of earlier starts that stay valid, of each role; chosen
    wrong_keys_per_s: float = 2.0  # requests without a valid key that are answered with a reason; chosen
    wrong_keys_burst: float = 20.0  # of them at once; chosen
    cookie_s: int = 30 * 24 * 3600  # how long a browser keeps a key; chosen
    database_s: int = 10  # seconds after which a silent database is given up; chosen
