r"""Secrets that are recognised by their form: a table, with each row's definition named.

``gitleaks`` stands for the rules of that name (config/gitleaks.toml in gitleaks/gitleaks), ``detect-secrets`` for the plugins of
Yelp/detect-secrets; other sources are the issuers themselves. Lengths are the shortest ones seen, not today's, and a text may have been
cut, so limits are lower here than there.

Examples are templates, so that no scanner reports this file as a leak. ``{20w}`` stands for twenty letters and digits, ``{20x}`` for
lower-case hexadecimal digits, ``{20d}`` for digits, ``{20u}`` for capitals and digits,
``{20a}`` for lower-case letters.
"""

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from actionledger.core.patterns import regex
from actionledger.core.privacy.escapes import Span

_BEFORE = (*" \"'`=:,/([>", "\\n", "\\t", "\\r")
"""The characters that may be directly before a secret."""


@dataclass(frozen=True)
class Token:
    """One kind of secret."""

    name: str
    prefix: str  # its exact beginning
    # what follows, as a regular expression; a group `secret` limits what is masked, and a group `begin` moves its start before the prefix
    rest: str
    example: str  # an example, as a template
    counter: str  # a similar text that is not a secret, as a template
    source: str = "gitleaks"  # the source of its definition
    needs: str = ""  # the literal that a line must contain, if other than the prefix
    # the texts that may follow the prefix directly, if this excludes everyday words
    begins: Sequence[str] = ()
    inside: bool = False  # whether it may begin in the middle of a word
    # whether everyday words end as it begins (`re_` ends `share_`); then the search includes what is before it
    is_short: bool = False

    @cached_property
    def needles(self) -> Sequence[bytes]:
        """The literals of this kind; a line without any has no such secret."""
        befores = _BEFORE if self.is_short else ("",)
        begins = [f"{self.prefix}{begin}" for begin in self.begins or ("",)]
        return [(self.needs or f"{before}{begin}").encode() for before in befores for begin in begins]

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        prefix = re.escape(self.prefix)
        # No character of such secrets is before it, except the end of an escape, as in a line break and a key.
        start = rf"(?:(?<![A-Za-z0-9_-]{prefix})|(?<=\\[bfnrt]{prefix})|(?<=\\u[0-9a-fA-F]{{4}}{prefix}))"
        before = f"(?:{'|'.join(map(re.escape, _BEFORE))})" if self.is_short else ""
        rest = (
            f"(?P<secret>{prefix}{self.rest})"
            if self.is_short
            else f"{prefix}{'' if self.inside else start}{self.rest}"
        )
        return regex(f"{before}{rest}".encode())

    @cached_property
    def _groups(self) -> tuple[str | int, str | None]:
        """The groups of the secret, and of where it begins if that is another."""
        groups = self._pattern.groupindex
        return ("secret" if "secret" in groups else 0), ("begin" if "begin" in groups else None)

    def spans(self, text: bytes, _lowered: bytes, starts: Sequence[int]) -> Iterator[Span]:
        """Yield the spans of secrets of this kind."""
        hidden, begin = self._groups
        for found in self._pattern.finditer(text) if self.needs else self._at(text, starts):
            start, end = found.span(hidden)
            yield start if begin is None else found.start(begin), end

    def _at(self, text: bytes, starts: Sequence[int]) -> Iterator[re.Match[bytes]]:
        """Yield the matches at some positions, without overlaps."""
        position = 0
        for start in starts:
            found = self._pattern.match(text, start) if start >= position else None
            if found is not None:
                position = found.end()
                yield found


W = "[A-Za-z0-9]"
D = "[A-Za-z0-9_-]"
"""The character class of most secrets' middle."""

_NO_PATH = [
    first + second
    for first in string.ascii_letters + string.digits
    for second in (string.ascii_letters + string.digits if first in "hH" else ("",))
]
"""The texts that may follow ``pat`` in a token; ``path`` alone does not begin one."""

TOKENS: tuple[Token, ...] = (
    # Models
    Token(
        "OpenAI, Anthropic, OpenRouter, DeepSeek and Langfuse key",
        "sk-",
        rf"(?=[A-Za-z_-]*+[0-9]|(?:[A-Za-z_]{{0,15}}+-)*+[A-Za-z]{{16}}){D}{{20,}}+",
        "sk-proj-{48w}",
        "sk-learn-with-many-simple-words",
    ),
    Token("Hugging Face token", "hf_", rf"{W}{{30,}}+", "hf_{34w}", "hf_hub_download"),
    Token("Hugging Face organisation token", "api_org_", rf"{W}{{30,}}+", "api_org_{34w}", "api_org_id"),
    Token("Groq key", "gsk_", rf"{W}{{40,}}+", "gsk_{52w}", "gsk_max_tokens", "console.groq.com"),
    Token("xAI key", "xai-", rf"{D}{{40,}}+", "xai-{80w}", "xai-org/grok-1", "docs.x.ai"),
    Token("Replicate token", "r8_", rf"{W}{{30,}}+", "r8_{37w}", "r8_int", "replicate.com/docs"),
    Token("Perplexity key", "pplx-", rf"{W}{{40,}}+", "pplx-{48w}", "pplx-70b-online"),
    Token("Tavily key", "tvly-", rf"{D}{{20,}}+", "tvly-dev-{32w}", "tvly-search", "docs.tavily.com"),
    Token(
        "LangSmith key",
        "lsv2_",
        r"(?:pt|sk)_[a-f0-9]{24,}+(?:_[a-f0-9]++)?",
        "lsv2_pt_{32x}_{10x}",
        "lsv2_pt_x",
        "docs.smith.langchain.com",
    ),
    # Clouds
    *(
        Token("AWS access key", kind, r"[A-Z0-9]{16}(?![A-Za-z0-9])", f"{kind}{{16u}}", f"{kind}BLE")
        for kind in ("AKIA", "ASIA")
    ),
    Token("AWS Bedrock key", "ABSK", r"[A-Za-z0-9+/]{80,}+={0,2}", "ABSK{120w}", "ABSK{20w}"),
    Token("Google API key", "AIza", rf"{D}{{30,}}+", "AIza{35w}", "AIzawa"),
    Token("Google OAuth secret", "GOCSPX-", rf"{D}{{20,}}+", "GOCSPX-{28w}", "GOCSPX-", "detect-secrets"),
    Token("Google OAuth token", "ya29.", rf"{D}{{20,}}+", "ya29.{60w}", "ya29.x", "developers.google.com"),
    Token(
        "Azure storage key",
        "AccountKey=",
        r"(?P<secret>[A-Za-z0-9+/]{40,}+={0,2})",
        "AccountKey={86w}==",
        "AccountKey=<key>",
        "detect-secrets",
        inside=True,
    ),
    Token(
        "Azure shared access signature",
        "sig=",
        r"(?P<secret>(?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){40,}+(?:=|%3[Dd])?)",
        "sig={43w}%3D",
        "sig=inspect.signature",
        "learn.microsoft.com, storage SAS",
        inside=True,
    ),
    Token(
        "Azure client secret",
        "Q~",
        r"(?:(?<=(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~)|(?<=\\[nrt][A-Za-z0-9_~.]{3}[0-9]Q~))"
        r"[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])",
        "abc8Q~{34w}",
        "1Q~2",
        inside=True,
    ),
    *(
        Token("DigitalOcean token", kind, r"[a-f0-9]{40,}+", f"{kind}{{64x}}", f"{kind}beta")
        for kind in ("dop_v1_", "doo_v1_", "dor_v1_")
    ),
    Token("Databricks token", "dapi", r"[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9])", "dapi{32x}", "dapidae"),
    Token("Alibaba access key", "LTAI", rf"{W}{{16,}}+", "LTAI{20w}", "LTAI"),
    *(
        Token("HashiCorp Vault token", f"hv{kind}.", rf"{D}{{24,}}+", f"hv{kind}.{{90w}}", f"hv{kind}.read")
        for kind in "sbr"
    ),
    Token(
        "Terraform Cloud token",
        ".atlasv1.",
        r"(?<=[A-Za-z0-9]{14}\.atlasv1\.)[A-Za-z0-9=_-]{50,}+",
        "{14w}.atlasv1.{65w}",
        "x.atlasv1.y",
        inside=True,
    ),
    Token("Pulumi token", "pul-", r"[a-f0-9]{40}", "pul-{40x}", "pul-lover"),
    Token(
        "Doppler token",
        "dp.",
        rf"(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{W}{{40,}}+",
        "dp.pt.{43w}",
        "dp.pt.x",
    ),
    Token(
        "Fly.io token", "FlyV1 ", r"fm[12][a-z]?_[A-Za-z0-9+/=,_-]{80,}+", "FlyV1 fm2_{100w}", "FlyV1 beta"
    ),
    Token(
        "PlanetScale token", "pscale_", r"(?:tkn|oauth|pw)_[\w=.-]{32,}+", "pscale_tkn_{43w}", "pscale_branch"
    ),
    Token(
        "Supabase token",
        "sbp_",
        r"(?=[a-z_-]*+[0-9])[a-z0-9_-]{40}",
        "sbp_{40x}",
        "sbp_mode",
        "supabase.com/docs",
    ),
    Token("Heroku key", "HRKU-", rf"{D}{{30,}}+", "HRKU-{60w}", "HRKU-"),
    # Code
    *(
        Token("GitHub token", f"gh{kind}_", rf"{W}{{20,}}+", f"gh{kind}_{{36w}}", f"gh{kind}_token")
        for kind in "oprsu"
    ),
    Token(
        "GitHub fine-grained token",
        "github_pat_",
        r"[A-Za-z0-9_]{20,}+",
        "github_pat_{22w}_{59w}",
        "github_pat_x",
    ),
    *(
        Token("GitLab token", f"gl{kind}-", rf"{D}{{16,}}+(?:\.{D}++)*+", f"gl{kind}-{{20w}}", f"gl{kind}-x")
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "imt", "agent", "soat", "oas", "ffct")
    ),
    Token("npm token", "npm_", rf"{W}{{30,}}+", "npm_{36w}", "npm_config_registry"),
    Token("PyPI token", "pypi-", rf"A[gE]{D}{{40,}}+", "pypi-AgEIcHlwaS5vcmc{70w}", "pypi-AgE"),
    Token("RubyGems key", "rubygems_", r"[a-f0-9]{40,}+", "rubygems_{48x}", "rubygems_version"),
    Token("crates.io token", "cio", rf"{W}{{32}}(?![A-Za-z0-9])", "cio{32w}", "ciorba", "crates.io"),
    Token("NuGet key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])", "oy2{43x}", "oy2k"),
    Token("Clojars token", "CLOJARS_", r"[A-Za-z0-9]{50,}+", "CLOJARS_{60x}", "CLOJARS_TOKEN"),
    Token(
        "Docker token",
        "dckr_",
        rf"(?:pat|oat)_{D}{{20,}}+",
        "dckr_pat_{27w}",
        "dckr_pat_",
        "docs.docker.com",
    ),
    Token("Artifactory key", "AKCp", rf"{W}{{60,}}+", "AKCp{69w}", "AKCp"),
    *(
        Token("Atlassian token", kind, r"[A-Za-z0-9_=-]{60,}+", f"{kind}3{{186w}}", f"{kind}3")
        for kind in ("ATATT", "ATCTT", "ATSTT", "ATBB")
    ),
    Token("Sentry token", "sntry", r"[su]_[A-Za-z0-9+/=_-]{40,}+", "sntryu_{64x}", "sntrys_x"),
    *(
        Token("Grafana token", kind, r"[A-Za-z0-9+/_]{32,}+={0,3}", f"{kind}{{32w}}_{{8x}}", f"{kind}context")
        for kind in ("glsa_", "glc_")
    ),
    Token("New Relic key", "NRAK-", r"[A-Za-z0-9]{20,}+", "NRAK-{27u}", "NRAK-"),
    Token("Linear key", "lin_api_", r"[A-Za-z0-9]{32,}+", "lin_api_{40w}", "lin_api_key"),
    Token("Postman key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-{24x}-{34x}", "PMAK-"),
    Token(
        "Sourcegraph token",
        "sgp_",
        r"(?:(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|[A-Za-z0-9]{64})",
        "sgp_{40x}",
        "sgp_local",
    ),
    Token("Notion token", "ntn_", rf"{W}{{40,}}+", "ntn_{46w}", "ntn_x"),
    Token("Figma token", "figd_", rf"{D}{{36,}}+", "figd_{40w}", "figd_x", "figma.com/developers"),
    Token(
        "Airtable token",
        "pat",
        rf"{W}{{14}}\.[a-f0-9]{{64}}",
        "pat{14w}.{64x}",
        "pathname.x",
        begins=_NO_PATH,
    ),
    Token(
        "Dynatrace token",
        "dt0",
        r"[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
        "dt0c01.{24u}.{64u}",
        "dt0c01.x",
    ),
    Token(
        "age secret key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}+", "AGE-SECRET-KEY-1{58u}", "AGE-SECRET-KEY-1"
    ),
    Token("1Password token", "ops_eyJ", r"[A-Za-z0-9+/]{100,}+={0,3}", "ops_eyJ{260w}", "ops_eyJ"),
    # Money, mail and messages
    *(
        Token(
            "Stripe key",
            kind,
            rf"(?:live|test|prod)_{W}{{10,}}+",
            f"{kind}live_{{24w}}",
            f"{kind}live_x",
            begins="ltp",
        )
        for kind in ("sk_", "rk_")
    ),
    Token(
        "Stripe webhook secret",
        "whsec_",
        r"[A-Za-z0-9+/]{24,}+={0,2}",
        "whsec_{32w}",
        "whsec_x",
        "docs.stripe.com",
    ),
    Token("Square token", "sq0", rf"(?:atp|csp|idp)-{D}{{22,}}+", "sq0csp-{43w}", "sq0csp-"),
    Token(
        "Shopify token",
        "shp",
        r"(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        "shpat_{32x}",
        "shpat_x",
        begins=("at_", "ca_", "pa_", "ss_"),
    ),
    Token("SendGrid key", "SG.", rf"{D}{{16,32}}\.{D}{{16,}}+", "SG.{22w}.{43w}", "SG.utils"),
    Token("Mailgun key", "key-", r"[a-f0-9]{32}(?![A-Za-z0-9])", "key-{32x}", "key-value"),
    Token("Brevo key", "xkeysib-", r"[a-f0-9]{40,}+(?:-[A-Za-z0-9]++)?", "xkeysib-{64x}-{16w}", "xkeysib-x"),
    Token(
        "Mailchimp key",
        "-us",
        r"(?<=(?P<begin>[a-f0-9]{32})-us)[0-9]{1,2}(?![A-Za-z0-9])",
        "{32x}-us12",
        "the-us12",
        begins=string.digits,
        inside=True,
    ),
    Token("Twilio key", "SK", r"[a-f0-9]{32}(?![A-Za-z0-9])", "SK{32x}", "SKU", begins="0123456789abcdef"),
    Token(
        "Slack token",
        "xox",
        r"[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}+",
        "xoxb-{12d}-{12d}-{24w}",
        "xoxo-hugs",
    ),
    Token("Slack app token", "xapp-", r"[0-9]-[A-Za-z0-9-]{10,}+", "xapp-1-{11u}-{12d}-{64x}", "xapp-x"),
    *(
        Token(
            "Slack webhook",
            f"hooks.slack.com/{kind}/",
            r"(?P<secret>[A-Za-z0-9+/]{20,}+)",
            f"hooks.slack.com/{kind}/T{{8u}}/B{{8u}}/{{24w}}",
            f"hooks.slack.com/{kind}/T",
            inside=True,
        )
        for kind in ("services", "workflows", "triggers")
    ),
    Token(
        "Teams webhook",
        ".webhook.office.com/",
        r"webhookb2/(?P<secret>[A-Za-z0-9@/-]{60,}+)",
        ".webhook.office.com/webhookb2/{36x}@{36x}/IncomingWebhook/{32x}/{36x}",
        ".webhook.office.com/",
        inside=True,
    ),
    Token(
        "Discord webhook",
        "/api/webhooks/",
        rf"[0-9]{{15,21}}/(?P<secret>{D}{{30,}}+)",
        "/api/webhooks/{18d}/{68w}",
        "/api/webhooks/1/x",
        "discord.com/developers",
        inside=True,
    ),
    *(
        Token(
            "Discord bot token",
            kind,
            rf"{D}{{22,30}}\.{D}{{6}}\.{D}{{27,}}+",
            f"{kind}{{24w}}.{{6w}}.{{27w}}",
            f"{kind}x.y.z",
            "detect-secrets",
            needs="iscord",
        )
        for kind in "MNO"
    ),
    Token(
        "Telegram bot token",
        ":AA",
        rf"(?<=[0-9]{{8}}:AA){D}{{32,33}}(?![A-Za-z0-9_-])",
        "{10d}:AA{33w}",
        "12:AA",
        inside=True,
    ),
    # Any issuer
    Token(
        "JSON web token",
        "eyJ",
        rf"{D}{{5,}}+\.eyJ{D}{{5,}}+(?:\.{D}++){{1,3}}+",
        "eyJ{20w}.eyJ{40w}.{43w}",
        "eyJ{20w}.x",
    ),
    Token(
        "encrypted JSON web token",
        "eyJ",
        rf"{D}{{15,}}+\.{D}*+\.{D}{{10,}}+\.{D}{{10,}}+\.{D}{{10,}}+",
        "eyJ{40w}..{16w}.{80w}.{22w}",
        "eyJ{20w}.x.y",
    ),
    Token(
        "private key",
        "-----BEGIN ",
        r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?P<secret>(?:[^\"\\-]++|-(?!----)|\\++(?:u[0-9a-fA-F]{4}|[^\"\\]))*+(?=-----END)|(?:[A-Za-z0-9+/=]++|\\++[nrt])*+)",
        "-----BEGIN PRIVATE KEY-----{60w}-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----{60w}-----END PUBLIC KEY-----",
        needs="PRIVATE KEY",
        inside=True,
    ),
)
"""All kinds that are searched for."""
