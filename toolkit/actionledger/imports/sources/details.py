"""What a session is called and where it ran, as far as its recording says so."""

from dataclasses import dataclass

from actionledger.core.made_quickly import made_quickly
from actionledger.core.vocabulary import TitleOrigin


@made_quickly
@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDetails:
    """What a session is called and where it ran; empty for what the recording doesn't say.

    Args:
        title: what it is called.
        title_from: who has called it so; None where it has no title.
        project: the folder that the agent worked in.
        git_branch: the branch that was checked out there.
        git_commit: the commit that was checked out there.
        pull_requests: the addresses of pull requests that it has opened or worked on.
        agent: the program that ran it.
        agent_version: that program's version.
        permission_mode: what the agent was allowed to do without asking, in its own word.
        aborted: why its last turn was broken off, in its source's word.

    Example:
        >>> al.SessionDetails(project="/work/shop", git_branch="main", agent="codex").git_branch
        'main'
    """

    title: str = ""
    title_from: TitleOrigin | None = None
    project: str = ""
    git_branch: str = ""
    git_commit: str = ""
    pull_requests: tuple[str, ...] = ()
    agent: str = ""
    agent_version: str = ""
    permission_mode: str = ""
    aborted: str = ""

    def then(self, later: "SessionDetails") -> "SessionDetails":
        """Return what is known when a later part of the recording has said more.

        Args:
            later: what that part says: it holds, but for a title that somebody closer to the user has given, and but for the folder and
                the commit, which are those that the session began with. That a turn was broken off, it says alone.

        Example:
            >>> al.SessionDetails(git_branch="main").then(al.SessionDetails(git_branch="fix")).git_branch
            'fix'
        """
        keeps_title = _CLOSENESS[self.title_from] > _CLOSENESS[later.title_from]
        named = self if keeps_title or not later.title else later
        return SessionDetails(
            title=named.title,
            title_from=named.title_from,
            project=self.project or later.project,
            git_branch=later.git_branch or self.git_branch,
            git_commit=self.git_commit or later.git_commit,
            pull_requests=tuple(dict.fromkeys((*self.pull_requests, *later.pull_requests))),
            agent=later.agent or self.agent,
            agent_version=later.agent_version or self.agent_version,
            permission_mode=later.permission_mode or self.permission_mode,
            aborted=later.aborted,
        )


_CLOSENESS = {None: 0, TitleOrigin.PROMPT: 1, TitleOrigin.AGENT: 2, TitleOrigin.PERSON: 3}
"""Whose title holds: the higher one's."""

NO_DETAILS = SessionDetails()
"""Nothing is said."""
