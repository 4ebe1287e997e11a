"""The entry script with all pages; Streamlit runs it for every visitor and every interaction."""

import streamlit as st

from actionledger_dashboard import login
from actionledger_dashboard.components import notices
from actionledger_dashboard.components.navigation import (
    FIRST,
    Target,
    has_filters,
    say_what_is_no_page,
    say_what_is_not_read,
    show_navigation,
)
from actionledger_dashboard.loading import load, script_of

st.set_page_config(page_title="actionledger", page_icon="📒", layout="wide")
pages = [
    st.Page("views/overview.py", title="Overview", default=True),
    st.Page("views/sessions.py", title="Sessions", url_path="sessions"),
    st.Page("views/turns.py", title="Turns", url_path="turns"),
    st.Page("views/usage.py", title="Usage", url_path="usage"),
    st.Page("views/tools.py", title="Tools", url_path="tools"),
    st.Page("views/alerts.py", title="Alerts", url_path="alerts"),
    st.Page("views/transcript.py", title="Transcript", url_path="transcript"),
    st.Page("views/replay.py", title="Replay", url_path="replay"),
    st.Page("views/compare.py", title="Compare", url_path="compare"),
    st.Page("views/playground.py", title="Playground", url_path="playground"),
    st.Page("views/review.py", title="Review", url_path="review"),
    st.Page("views/left_out.py", title="Skipped", url_path="left_out"),
    st.Page("views/live.py", title="Live", url_path="live"),
    st.Page("views/sql.py", title="SQL", url_path="sql"),
    st.Page("views/health.py", title="Health", url_path="health"),
]
page = st.navigation(pages, position="hidden")
login.require()
show_navigation(
    [
        Target(one.title, one.url_path or "./", one == page, has_filters(one.url_path), one.url_path in FIRST)
        for one in pages
    ],
    keeps=not has_filters(page.url_path),
)
say_what_is_no_page()
say_what_is_not_read(page.url_path)
with notices.unreadable_is_said():
    load(script_of(page.url_path))
    page.run()
login.offer_logout()
