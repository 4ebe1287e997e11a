"""Made-up secrets of many kinds, in the texts that models and tools write; built when asked for, so that no scanner takes them for leaks."""

import base64
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"


@dataclass(frozen=True)
class Planted:
    """A text with a secret in it."""

    kind: str  # what the secret is
    place: str  # how the text is written
    text: str  # the text
    secret: str  # what must not be found in a record, as it stands in the text


def _tokens(drawn: random.Random) -> dict[str, str]:
    """Return a token of each issuer, after the issuers' words and examples."""

    def some(count: int, alphabet: str = _WORD) -> str:
        # A digit early on: random texts without one are rare, and a flaky test is worse.
        return "".join(["7", *drawn.choices(alphabet, k=count - 1)])

    def encoded(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    upper = string.ascii_uppercase + string.digits
    dash = _WORD + "_-"
    return {
        "OpenAI project key": f"sk-proj-{some(74)}T3BlbkFJ{some(74)}",
        "OpenAI old key": f"sk-{some(20)}T3BlbkFJ{some(20)}",
        "Anthropic key": f"sk-ant-api03-{some(93, dash)}AA",
        "OpenRouter key": f"sk-or-v1-{some(64, _HEX)}",
        "Hugging Face token": f"hf_{some(34, string.ascii_letters)}",
        "Groq key": f"gsk_{some(52)}",
        "Replicate token": f"r8_{some(37)}",
        "LangSmith key": f"lsv2_pt_{some(32, _HEX)}_{some(10, _HEX)}",
        "AWS access key": f"AKIA{some(16, upper)}",
        "AWS session key": f"ASIA{some(16, upper)}",
        "Google API key": f"AIza{some(35, dash)}",
        "Google OAuth token": f"ya29.a0{some(120, dash)}",
        "Google OAuth secret": f"GOCSPX-{some(28, dash)}",
        "Azure client secret": f"{some(3)}8Q~{some(34, _WORD + '_~.')}",
        "DigitalOcean token": f"dop_v1_{some(64, _HEX)}",
        "Databricks token": f"dapi{some(32, _HEX)}",
        "Vault token": f"hvs.{some(90, dash)}",
        "GitHub classic token": f"ghp_{some(36)}",
        "GitHub app token": f"ghs_{some(36)}",
        "GitHub fine-grained token": f"github_pat_{some(22)}_{some(59)}",
        "GitLab token": f"glpat-{some(20, dash)}",
        "npm token": f"npm_{some(36)}",
        "Netlify token": f"nfp_{some(36)}",
        "PyPI token": f"pypi-AgEIcHlwaS5vcmc{some(120, dash)}",
        "Docker token": f"dckr_pat_{some(27, dash)}",
        "Stripe live key": f"sk_live_{some(24)}",
        "Stripe restricted key": f"rk_live_{some(99)}",
        "Stripe webhook secret": f"whsec_{some(32)}",
        "SendGrid key": f"SG.{some(22, dash)}.{some(43, dash)}",
        "Mailgun key": f"key-{some(32, _HEX)}",
        "Twilio key": f"SK{some(32, _HEX)}",
        "Slack bot token": f"xoxb-{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}",
        "Slack app token": f"xapp-1-A{some(10, upper)}-{some(13, string.digits)}-{some(64, _HEX)}",
        "Telegram bot token": f"{some(10, string.digits)}:AA{some(33, dash)}",
        "Shopify token": f"shpat_{some(32, _HEX)}",
        "Notion token": f"ntn_{some(46)}",
        "Linear key": f"lin_api_{some(40)}",
        "Sentry token": f"sntryu_{some(64, _HEX)}",
        "Grafana token": f"glsa_{some(32)}_{some(8, _HEX)}",
        "NVIDIA key": f"nvapi-{some(64, dash)}",
        "Cerebras key": f"csk-{some(48, _HEX)}",
        "AI Studio key": f"AQ.Ab8R{some(46, dash)}",
        "Pinecone key": f"pcsk_{some(5)}_{some(63)}",
        "Vercel token": f"vcp_{some(56)}",
        "Supabase secret key": f"sb_secret_{some(22, dash)}_{some(8)}",
        "Cursor key": f"key_{some(64, _HEX)}",
        "Together key": f"tgp_v1_{some(43, dash)}",
        "Fireworks key": f"fw_{some(22)}",
        "Jina key": f"jina_{some(60)}",
        "Voyage key": f"pa-{some(43, dash)}",
        "Tailscale key": f"tskey-auth-{some(12)}CNTRL-{some(32)}",
        "Resend key": f"re_{some(8)}_{some(24)}",
        "ElevenLabs key": f"sk_{some(48, _HEX)}",
        "PostHog key": f"phx_{some(43)}",
        "Neon key": f"napi_{some(64)}",
        "Render key": f"rnd_{some(28)}",
        "Weights & Biases key": f"wandb_v1_{some(77)}",
        "Firecrawl key": f"fc-{some(32, _HEX)}",
        "Brave key": f"BSA{some(28, dash)}",
        "E2B key": f"e2b_{some(40, _HEX)}",
        "Modal token": f"ak-{some(22)}",
        "Mem0 key": f"m0-{some(40)}",
        "RunPod key": f"rpa_{some(46)}",
        "JSON web token": f"{encoded({'alg': 'HS256'})}.{encoded({'sub': '12345', 'n': 1})}.{some(43, dash)}",
    }


_TOKEN_PLACES = {
    "plain text": "Use {secret} for the deployment, and tell nobody.",
    "end of the text": "The key is {secret}",
    "JSON": '{{"note": "{secret}", "n": 1}}',
    "YAML": "deploy:\n  value: {secret}\n  region: eu\n",
    "env file": "HOST=db\nTHING={secret}\nDEBUG=1\n",
    "shell": "curl -s https://host/x?k={secret} | jq .",
    "Python": "client = Client('{secret}', timeout=3)",
    "tool's result": "exit 0\nstdout:\n{secret}\n(1 line)",
}

_BY_NAME = {
    "password in an address": ("URL", "postgres://app:{secret}@db.host:5432/app"),
    "password of Redis": ("URL", "REDIS_URL=redis://:{secret}@cache:6379/0"),
    "password of a repository": ("shell", "git clone https://me:{secret}@git.host/team/x.git"),
    "password in JSON within JSON": ("JSON in JSON", '{{"arguments": "{{\\"password\\": \\"{secret}\\"}}"}}'),
    "pwd in JSON": ("JSON", '{{"user": "ann", "pwd": "{secret}"}}'),
    "password in YAML": ("YAML", "db:\n  user: ann\n  password: {secret}\n  port: 1\n"),
    "password in YAML, quoted": ("YAML", "db:\n  password: '{secret}'\n"),
    "password in TOML": ("TOML", '[db]\npassword = "{secret}"\n'),
    "password in an INI file": ("INI", "[db]\npassword = {secret}\nuser = ann\n"),
    "password in an env file": ("env file", "DB_HOST=x\nDB_PASSWORD={secret}\n"),
    "pass in an env file": ("env file", "SMTP_PASS={secret}\n"),
    "password of a command": ("shell", "mysqldump --user=ann --password={secret} app"),
    "password behind an option": ("shell", "tool login --password {secret} --user ann"),
    "credentials of curl": ("shell", "curl -u ann:{secret} https://host/"),
    "password in Python": ("Python", 'connect(host="db", password="{secret}")'),
    "password as an item": ("Python", "os.environ['DB_PASSWORD'] = '{secret}'"),
    "password of a role": ("SQL", "CREATE ROLE app LOGIN PASSWORD '{secret}';"),
    "password in a tag": ("XML", "<user>ann</user><password>{secret}</password>"),
    "password of a parameter": ("XML", "<parameter=password>{secret}</parameter>"),
    "password in prose": ("plain text", "The password is {secret}, don't lose it."),
    "AWS secret key": ("INI", "[default]\naws_secret_access_key = {secret}\nregion = eu\n"),
    "AWS secret key, exported": ("shell", "export AWS_SECRET_ACCESS_KEY={secret}"),
    "AWS secret key, escaped": ("JSON in JSON", '{{"SecretAccessKey": "{slashed}"}}'),
    "Azure storage key": ("env file", "AZ=DefaultEndpointsProtocol=https;AccountName=x;AccountKey={base64}==;EndpointSuffix=core"),
    "Azure shared access": ("URL", "https://x.blob.core.windows.net/c?sv=2022&sp=r&sig={quoted}%3D"),
    "Basic credentials": ("HTTP header", "Authorization: Basic {base64}"),
    "Bearer token": ("HTTP header", "GET / HTTP/1.1\nAuthorization: Bearer {secret}\nAccept: */*"),
    "token of a header": ("HTTP header", "Authorization: token {secret}"),
    "X-API-Key": ("HTTP header", "X-API-Key: {secret}\nAccept: */*"),
    "X-API-Key of curl": ("shell", "curl -H 'X-API-Key: {secret}' https://host/"),
    "PRIVATE-TOKEN": ("HTTP header", "PRIVATE-TOKEN: {secret}"),
    "authorization in a list": ("JSON", '{{"authorization": ["Bearer {secret}"]}}'),
    "X-API-Key in JSON": ("JSON", '{{"headers": {{"x-api-key": "{secret}"}}}}'),
    "cookie": ("HTTP header", "Cookie: lang=en; session={secret}; theme=x"),
    "cookie that is set": ("HTTP header", "Set-Cookie: sid={secret}; Path=/; HttpOnly"),
    "api_key in Python": ("Python", 'client = OpenAI(api_key="{secret}")'),
    "client secret": ("YAML", "oauth:\n  client_secret: {secret}\n"),
    "token in YAML": ("YAML", "token: {secret}\n"),
    "auth token of npm": ("INI", "//registry.host/:_authToken={secret}\n"),
    "access token of an address": ("URL", "https://host/a?page=2&access_token={secret}&x=1"),
    "Slack webhook": ("URL", "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF2/{secret}"),
    "Discord webhook": ("URL", "https://discord.com/api/webhooks/123456789012345678/{secret}{secret}"),
    "password in Kubernetes": ("YAML", "- name: DB_PASSWORD\n  value: {secret}\n"),
    "password with a dot": ("YAML", "db:\n  password: {dotted}\n"),
    "API key with a dot": ("HTTP header", "x-api-key: {dotted}"),
    "key of a query": ("URL", "https://host/api?page=2&key={secret}"),
    "key in an env file": ("env file", "SPEECH_KEY={secret}\n"),
    "key in JSON": ("JSON", '{{"key": "{secret}"}}'),
    "password of netrc": ("INI", "machine host login ann password {secret}\n"),
    "refused field": ("JSON", '{{"path": "login.password", "value": "{secret}"}}'),
    "word as a password": ("YAML", "db:\n  password: correcthorse\n"),
}  # fmt: skip


def planted(seed: int = 0) -> Iterator[Planted]:
    """Yield texts with secrets: each token in three kinds of text, and what is known by its name only in its own."""
    drawn = random.Random(seed)
    places = list(_TOKEN_PLACES.items())
    for number, (kind, secret) in enumerate(_tokens(drawn).items()):
        for step in range(3):
            place, text = places[(number * 3 + step) % len(places)]
            yield Planted(kind, place, text.format(secret=secret), secret)
        yield _spelled(kind, secret)
    for kind, (place, text) in _BY_NAME.items():
        yield _named(kind, place, text, drawn)
    body = "\n".join("".join(drawn.choices(_WORD + "+/", k=64)) for _ in range(4))
    for name in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY"):
        text = f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"
        yield Planted("private key", "plain text", f"Here:\n{text}\nDone.", body[:64])
        yield Planted("private key", "JSON in JSON", json.dumps({"key": text}), body[:64])


def _spelled(kind: str, secret: str) -> Planted:
    """Return a token in JSON whose writer has escaped two letters of it."""
    written = f"\\u{ord(secret[0]):04x}{secret[1:5]}\\u{ord(secret[5]):04X}{secret[6:]}"
    return Planted(kind, "JSON escapes", f'{{"note": "{written}"}}', secret[6:])


def _named(kind: str, place: str, text: str, drawn: random.Random) -> Planted:
    value = "".join(["p4", *drawn.choices(_WORD, k=38)])
    length = 12 if "password" in kind or "pass" in kind or "pwd" in kind else 40
    secret = "correcthorse" if kind.startswith("word") else value[:length]
    slashed = f"{value[:10]}\\/{value[10:30]}\\/{value[30:]}"
    encoded = base64.b64encode((value + "x" * 23).encode()).decode().rstrip("=")
    dotted = f"{value[:8]}.{value[8:15]}"
    filled = text.format(
        secret=secret,
        slashed=slashed,
        base64=encoded,
        quoted=f"{value[:20]}%2B{value[20:40]}ab",
        dotted=dotted,
    )
    found = next(one for one in (secret, value[10:30], encoded, value[:20], dotted) if one in filled)
    return Planted(kind, place, filled, found)
