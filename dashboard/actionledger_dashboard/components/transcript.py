"""The transcript as a component: one turn to read, and keys and buttons to step to another one."""

from collections.abc import Callable, Sequence

import streamlit as st

from actionledger.ledger.queries import TurnDetail, TurnRow
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.transcript_data import list_data, turn_data

_KEY = "transcript"


_mount = mount_of("transcript", "marked")


def show_transcript(detail: TurnDetail, turns: Sequence[TurnRow], on_step: Callable[[int], None]) -> None:
    """Show a turn and the list of turns that it stands in.

    Args:
        detail: the turn.
        turns: all turns of its session, in order.
        on_step: told the index to go to when the reader steps, before the page runs again.
    """

    def step() -> None:
        if _KEY in st.session_state:  # else a key was pressed while the transcript was leaving the page
            on_step(int(st.session_state[_KEY]["go"]))

    _mount(key=_KEY, data=turn_data(detail) | list_data(detail.response.index, turns), on_go_change=step)
