"""What may be uploaded: Streamlit itself takes files from any session, for any widget, as many as are sent."""

import re
from collections import Counter
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.state.session_state import Value

UNREAD_AT_MOST = 2  # files of one session that no page has read or holds, those under way included
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")


class UploadGuard:
    """Middleware: a PUT of a file needs an upload widget that its session shows; few files lie unread.

    How large a file may be is `server.maxUploadSize`: Streamlit counts while it reads.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 without a widget and 429 where too many are under way, before a byte of the body is read."""
        upload = (
            _UPLOAD.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        )
        if upload is None:
            return await self.app(scope, receive, send)
        session = upload[1]
        widgets = open_uploaders(session)
        if not widgets:
            refusal = PlainTextResponse("No upload widget is open in this session.", 403)
            return await refusal(scope, receive, send)
        if self.under_way[session] >= UNREAD_AT_MOST:
            refusal = PlainTextResponse("Too many files are under way in this session.", 429)
            return await refusal(scope, receive, send)
        self.under_way[session] += 1
        forget_unread(session, set(widgets.values()), keep=UNREAD_AT_MOST - self.under_way[session])
        try:
            return await self.app(scope, receive, send)
        finally:
            self.under_way -= Counter([session])  # what has come down to 0 is dropped


def forget_unread(session: str, read: set[str | None], keep: int) -> None:
    """Drop the files of a session that are not `read`, but for the `keep` newest."""
    manager: Any = runtime.get_instance().uploaded_file_mgr
    unread = [name for name in manager.file_storage.get(session, ()) if name not in read]
    for name in unread[: len(unread) - keep]:
        manager.remove_file(session, name)


def open_uploaders(session: str) -> dict[str, str | None]:
    """The upload widgets that a session shows: widget id → id of the file that the page has read from it, if any."""
    found = runtime.get_instance()._session_mgr.get_active_session_info(session)
    if found is None:
        return {}
    state: Any = (
        found.session.session_state
    )  # of this run, `_new_widget_state`; of the last one, `_old_state`
    fresh, kinds = state._new_widget_state.states.copy(), state._new_widget_state.widget_metadata.copy()
    read = {name: value.value for name, value in fresh.items() if isinstance(value, Value)}
    values = {**state._old_state, **dict.fromkeys(fresh), **read}
    return {
        name: getattr(value, "file_id", None)
        for name, value in values.items()
        if name in kinds and kinds[name].value_type == "file_uploader_state_value"
    }
