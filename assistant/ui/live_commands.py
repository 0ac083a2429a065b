"""The commands of the live window and of the review that show and ask the same."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assistant.ui.actions import Command, look_commands, show_keys
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.evidence_dialog import close_look
from assistant.ui.overlays.standing import Layers
from assistant.ui.picture import save_screenshot
from assistant.ui.table_model import TableModel, ViewMode

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow

_NUDGE_MM = 10.0


def view_commands(
    menu: str, model: TableModel, canvas: TableCanvas, taken: frozenset[str] = frozenset()
) -> list[Command]:
    """How the table is shown; keys that the window needs for something else are left out."""
    modes = (
        (say("Photograph"), "1", ViewMode.PHOTO, "camera-outline", say("Photo")),
        (say("From above"), "2", ViewMode.TOP, "arrow-down-bold-box-outline", say("Above")),
        (say("Drawn board"), "3", ViewMode.DRAWN, "vector-square", say("Board")),
    )
    commands = [
        Command(
            menu,
            name,
            key,
            partial(_take_mode, model, mode),
            model.mode is mode,
            sign,
            "mode",
            short=short,
        )
        for name, key, mode, sign, short in modes
    ]
    commands += [
        Command(menu, say("Whole table"), "0", lambda _: canvas.fit(), None, "fit-to-page-outline", short=say("Fit")),
        Command(menu, say("Closer"), "+", lambda _: canvas.zoom(1.25)),
        Command(menu, say("Farther"), "-", lambda _: canvas.zoom(0.8)),
    ]
    layers = (
        (say("Names"), "N", "names", "tag-text-outline"),
        (say("Rulings on the table"), "R", "rulings", ""),
        (say("Terrain"), "T", "terrain", ""),
        (say("Zones"), "Z", "zones", ""),
        (say("How sure each place is"), "H", "halos", ""),
    )
    commands += [
        Command(
            menu,
            title,
            key,
            partial(_take_layer, model, name),
            bool(getattr(Layers(), name)),
            sign,
        )
        for title, key, name, sign in layers
    ]
    commands += look_commands(menu)
    return [replace(command, key="") if command.key in taken else command for command in commands]


def _take_mode(model: TableModel, mode: ViewMode, on: bool) -> None:
    del on
    model.set_mode(mode)


def _take_layer(model: TableModel, name: str, on: bool) -> None:
    model.set_layers(replace(model.layers, **{name: on}))


def live_commands(window: LiveWindow) -> tuple[Command, ...]:
    """Every command of a live table."""
    model, canvas = window.model, window.pane.canvas
    table, show, ask, game, help_menu = say("&Table"), say("&View"), say("&Ask"), say("&Game"), say("&Help")
    return (
        Command(
            table,
            say("Set up the table…"),
            "Ctrl+T",
            lambda _: window.setup.open(),
            None,
            "tune-variant",
            short=say("Set up"),
        ),
        Command(table, say("Picture of the window…"), "Ctrl+S", lambda _: save_screenshot(window)),
        Command(table, say("Projector"), "P", window.show_projector, False),
        Command(
            table,
            say("Presentation: table, call, score and clock"),
            "F11",
            window.present,
            False,
            "presentation",
            short=say("Present"),
        ),
        Command(
            table,
            say("On phones and streams…"),
            "Ctrl+Shift+S",
            lambda _: window.show_screens(),
            None,
            "cellphone-link",
            short=say("Screens"),
        ),
        Command(table, say("Mute the voice and the chime"), "Ctrl+M", window.voice.mute, window.voice.muted),
        Command(table, say("Leave focus and exposure to the camera"), "Ctrl+Shift+A", window.leave_to_camera, False),
        Command(table, say("Diagnostics"), "D", window.show_drawer, False),
        Command(table, say("Close"), "Ctrl+Q", lambda _: window.close()),
        *view_commands(show, model, canvas),
        Command(
            ask, say("All range bands"), "B", model.show_all_bands, False, "signal-distance-variant", short=say("Bands")
        ),
        Command(ask, say("Freeze the call"), "Space", window.freeze, False, "snowflake", short=say("Freeze")),
        Command(ask, say("Next piece"), ".", lambda _: model.step(1)),
        Command(ask, say("Previous piece"), ",", lambda _: model.step(-1)),
        Command(
            ask,
            say("Ask about this piece"),
            "Return",
            lambda _: model.click(model.pointing.hover),
            only_in=window.pane,
        ),
        Command(ask, say("Try a move north"), "Shift+Up", lambda _: model.nudge(0.0, -_NUDGE_MM)),
        Command(ask, say("Try a move south"), "Shift+Down", lambda _: model.nudge(0.0, _NUDGE_MM)),
        Command(ask, say("Try a move west"), "Shift+Left", lambda _: model.nudge(-_NUDGE_MM, 0.0)),
        Command(ask, say("Try a move east"), "Shift+Right", lambda _: model.nudge(_NUDGE_MM, 0.0)),
        Command(ask, say("Type a question"), "/", lambda _: window.side.call.question.setFocus()),
        Command(ask, say("Close look at this answer"), "Shift+G", lambda _: close_look(model, window)),
        Command(ask, say("Clear"), "Esc", lambda _: window.clear()),
        Command(
            game,
            say("Correct this piece…"),
            "C",
            lambda _: window.told.correct_by_key(),
            None,
            "pencil-outline",
            short=say("Correct"),
        ),
        Command(
            game,
            say("Undo the last correction"),
            "Ctrl+Z",
            lambda _: window.told.undo(),
            None,
            "undo",
            short=say("Undo"),
        ),
        Command(game, say("Next phase"), "Ctrl+N", lambda _: window.side.play.next_phase()),
        Command(game, say("Other player's clock"), "X", lambda _: window.side.play.switch_clock()),
        Command(game, say("Halt the clocks"), "Shift+X", lambda _: window.side.play.pause_clock()),
        Command(game, say("Moves by round"), "E", lambda _: window.side.moves.setFocus()),
        Command(game, say("Back to live"), "L", lambda _: window.looking_back.back_to_live()),
        Command(game, say("Before and after the chosen move"), "K", lambda _: window.looking_back.compare()),
        Command(game, say("Evidence of the chosen move"), "Shift+E", lambda _: window.looking_back.show_evidence()),
        Command(game, say("Bump: done"), "Ctrl+B", lambda _: window.happened.forget_bump()),
        Command(help_menu, say("Keys"), "F1", lambda _: show_keys(window, window.commands)),
    )
