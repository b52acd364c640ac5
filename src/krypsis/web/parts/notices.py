"""Telling people what went wrong, in the words of the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from nicegui import ui

from krypsis.errors import KrypsisError
from krypsis.web.security import is_full, place_of
from krypsis.web.served import served
from krypsis.web.texts import say


def notice(text: str, kind: str = "bad") -> ui.element:
    """Show a message on the page: ``kind`` is ``good``, ``bad`` or ``warn``."""
    with ui.element("div").classes(f"kr-notice kr-{kind}").props('role="status"') as box:
        ui.label(served().discreet(text)).classes("kr-notice-text")
    return box


def show_error(text: str) -> None:
    """Show an error where the visitor is, and keep it there until it is closed."""
    ui.notify(served().discreet(text), type="negative", position="top", timeout=0, close_button="OK", multi_line=True)


def reports_errors(action: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap what a button does, so that an error of the library becomes a message and nothing else happens."""

    @functools.wraps(action)
    async def wrapped(*values: Any, **named: Any) -> Any:
        try:
            done = action(*values, **named)
            return await done if inspect.isawaitable(done) else done
        except KrypsisError as error:
            show_error(str(error))
            return None
        except Exception as error:
            if is_full(error):
                show_error(say("frame.full"))
                return None
            show_error(
                say("frame.failed-text", place=place_of(error))
            )  # a button that does nothing would leave people alone
            raise

    return wrapped


def then(action: Callable[[], object], afterwards: Callable[[], object]) -> Callable[..., Any]:
    """Wrap two things that a button does one after the other; after an error the second is left out."""

    def both() -> None:
        action()
        afterwards()

    return reports_errors(both)
