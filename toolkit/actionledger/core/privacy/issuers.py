"""Secrets that are recognised by their form, of issuers that ``tokens`` lacks: models, searches and hosts for agents, and newer kinds of older ones.

Formats are the issuers' own: beginning and alphabet are as in their documentation and keys; lengths are lower limits.
"""

from actionledger.core.privacy.tokens import D as _D, Token, W as _W

_DIGIT = "(?=[A-Za-z_-]*+[0-9])"
"""A lookahead for a digit, which distinguishes a key from words with dashes."""

_UUID = r"-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
_UUID_EXAMPLE = "-{8x}-{4x}-{4x}-{4x}-{12x}"

_SAID = "the issuer"


def _key(name: str, prefix: str, rest: str, example: str, counter: str, *, is_short: bool = False) -> Token:
    return Token(name, prefix, rest, prefix + example, counter, _SAID, is_short=is_short)


ISSUERS: tuple[Token, ...] = (
    # Models
    _key("NVIDIA key", "nvapi-", rf"{_D}{{40,}}+", "{64w}", "nvapi-key-of-the-catalogue"),
    _key("Cerebras key", "csk-", rf"{_W}{{30,}}+", "{48w}", "csk-learn"),
    _key("Google API key of AI Studio", "AQ.", rf"{_DIGIT}{_D}{{30,}}+", "Ab8{47w}", "AQ.Abc"),
    _key("Together key", "tgp_v", rf"[0-9]_{_D}{{30,}}+", "1_{43w}", "tgp_v1"),
    _key("Fireworks key", "fw_", rf"{_DIGIT}{_W}{{20,}}+", "3{23w}", "fw_update", is_short=True),
    _key("Jina key", "jina_", rf"{_DIGIT}{_D}{{40,}}+", "{60w}", "jina_embeddings_v3"),
    _key("Voyage key", "pa-", rf"{_DIGIT}{_D}{{38,}}+", "4{42w}", "pa-system", is_short=True),
    _key("ElevenLabs key", "sk_", r"[a-f0-9]{40,}+", "{48x}", "sk_a1", is_short=True),
    _key("Cartesia key", "sk_car_", rf"{_D}{{18,}}+", "{22w}", "sk_car_x"),
    _key("Mem0 key", "m0-", rf"{_W}{{30,}}+", "{40w}", "m0-x", is_short=True),
    _key("LlamaCloud key", "llx-", rf"{_W}{{30,}}+", "{48w}", "llx-x"),
    _key("RunPod key", "rpa_", rf"{_W}{{30,}}+", "{46w}", "rpa_x"),
    _key("Weights & Biases key", "wandb_v", rf"[0-9]_{_D}{{40,}}+", "1_{60w}", "wandb_version"),
    _key("Replicate webhook secret", "whsk_", rf"{_D}{{24,}}+", "{32w}", "whsk_x"),
    _key("OpenAI session", "sess-", rf"{_W}{{36,}}+", "{40w}", "sess-x"),
    # Searches, browsers and sandboxes
    _key("Firecrawl key", "fc-", r"[a-f0-9]{32}", "{32x}", "fc-cache", is_short=True),
    _key("Brave key", "BSA", rf"{_DIGIT}{_D}{{22,32}}(?![A-Za-z0-9])", "1{27w}", "BSA"),
    _key("E2B key", "e2b_", r"[a-f0-9]{36,}+", "{40x}", "e2b_sandbox"),
    *(
        _key("Modal token", kind, rf"{_W}{{20,}}+", "1{21w}", f"{kind}is", is_short=True)
        for kind in ("ak-", "as-")
    ),
    _key("Browserbase key", "bb_live_", rf"{_D}{{20,}}+", "{27w}", "bb_live_x"),
    _key("Apify token", "apify_api_", rf"{_W}{{30,}}+", "{36w}", "apify_api_x"),
    _key("Pinecone key", "pcsk_", rf"{_D}{{40,}}+", "{6w}_{63w}", "pcsk_x"),
    # Hosts and platforms
    *(
        _key("Vercel token", f"vc{kind}_", rf"{_DIGIT}{_D}{{24,}}+", "{56w}", f"vc{kind}_x")
        for kind in "piackr"
    ),
    *(_key("Netlify token", f"nf{kind}_", rf"{_W}{{32,}}+", "{36w}", f"nf{kind}_x") for kind in "pcou"),
    _key("Vercel Blob token", "vercel_blob_rw_", rf"{_D}{{30,}}+", "{16w}_{31w}", "vercel_blob_rw_x"),
    _key("Supabase secret key", "sb_secret_", rf"{_D}{{20,}}+", "{22w}_{8w}", "sb_secret_key"),
    _key("Cursor key", "crsr_", r"[a-f0-9]{40,}+", "{64x}", "crsr_x"),
    _key("Cursor key", "key_", r"[a-f0-9]{40,}+", "{64x}", "key_value", is_short=True),
    _key(
        "Tailscale key",
        "tskey-",
        rf"[a-z]{{3,12}}-(?:{_W}{{8,}}-{_W}{{16,}}+|{_DIGIT}{_D}{{20,}}+)",
        "auth-{16w}-{32w}",
        "tskey-auth",
    ),
    _key("Resend key", "re_", rf"{_W}{{8}}_{_W}{{20,}}+", "{8w}_{24w}", "re_compile", is_short=True),
    _key("Linear OAuth token", "lin_oauth_", rf"{_W}{{32,}}+", "{64x}", "lin_oauth_x"),
    _key("Notion token", "secret_", rf"{_W}{{43}}(?![A-Za-z0-9])", "{43w}", "secret_key"),
    _key("Figma OAuth token", "figo", rf"[hru]?_{_D}{{36,}}+", "_{40w}", "figo_x"),
    *(_key("PostHog key", f"ph{kind}_", rf"{_DIGIT}{_D}{{30,}}+", "{43w}", f"ph{kind}_x") for kind in "cxsr"),
    _key("Neon key", "napi_", rf"{_W}{{40,}}+", "{64w}", "napi_env"),
    _key("Render key", "rnd_", rf"{_W}{{24,}}+", "{28w}", "rnd_state"),
    *(
        _key("Fly.io token", kind, r"[A-Za-z0-9+/=,_-]{60,}+", "{100w}", f"{kind}x")
        for kind in ("fm1r_", "fm1a_", "fm2_", "fo1_")
    ),
    *(
        _key("Clerk machine secret", kind, rf"{_W}{{24,}}+", "{40w}", f"{kind}x")
        for kind in ("ak_live_", "mt_live_")
    ),
    Token(
        "Mailgun key",
        "-",
        r"(?<=(?P<begin>[a-f0-9]{32})-)[a-f0-9]{8}-[a-f0-9]{8}(?![A-Za-z0-9-])",
        "{32x}-{8x}-{8x}",
        "a-b-c",
        _SAID,
        needs="ailgun",
        inside=True,
    ),
    _key("Cloudflare origin key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{100,}+", "{24x}-{146x}", "v1.0-beta"),
    *(
        _key("Cloudflare token", kind, rf"{_D}{{36,}}+", "{48w}", f"{kind}x")
        for kind in ("cfut_", "cfat_", "cfk_")
    ),
    *(
        _key("New Relic key", kind, rf"{_D}{{17,}}+", "{32u}", f"{kind}x")
        for kind in ("NRII-", "NRJS-", "NRRA-")
    ),
    _key("Contentful token", "CFPAT-", rf"{_D}{{40,}}+", "{43w}", "CFPAT-x"),
    _key("CircleCI token", "CCIPAT_", rf"{_W}{{20,}}_[a-z0-9]{{30,}}+", "{22w}_{40x}", "CCIPAT_x"),
    *(_key("SonarQube token", f"sq{kind}_", r"[a-f0-9]{40}", "{40x}", f"sq{kind}_x") for kind in "apu"),
    _key("Buildkite token", "bkua_", r"[a-z0-9]{40,}+", "{40x}", "bkua_x"),
    _key("Prefect key", "pnu_", rf"{_W}{{36}}", "{36w}", "pnu_x"),
    _key("Typeform token", "tfp_", r"[A-Za-z0-9_.-]{40,}+", "{59w}", "tfp_x"),
    _key("Readme key", "rdme_", r"[a-z0-9]{70}", "{70x}", "rdme_x"),
    _key("OpenShift token", "sha256~", rf"{_D}{{43}}", "{43w}", "sha256~x"),
    *(_key("EasyPost key", kind, rf"{_W}{{54}}", "{54w}", f"{kind}x") for kind in ("EZAK", "EZTK")),
    _key("Composio key", "ak_", rf"{_DIGIT}{_D}{{18,}}+", "2{21w}", "ak_id", is_short=True),
    _key("Inngest signing key", "signkey-", r"[a-z]+-[a-f0-9]{40,}+", "prod-{64x}", "signkey-x"),
    _key("Mapbox secret token", "sk.eyJ", rf"{_D}{{40,}}+\.{_D}{{16,}}+", "1{60w}.{22w}", "sk.eyJx"),
    _key("Adobe secret", "p8e-", r"[a-zA-Z0-9_-]{30,}+", "{32w}", "p8e-x"),
    _key("Defined Networking token", "dnkey-", rf"{_D}{{20,}}-{_D}{{40,}}+", "{26w}-{52w}", "dnkey-x"),
    *(
        _key("Duffel token", kind, r"[A-Za-z0-9_=-]{30,}+", "{43w}", f"{kind}x")
        for kind in ("duffel_test_", "duffel_live_")
    ),
    _key("Flutterwave secret", "FLWSECK", r"(?:_TEST)?-[a-f0-9]{12,}+(?:-X)?", "-{32x}-X", "FLWSECK-"),
    _key("Frame.io token", "fio-u-", r"[A-Za-z0-9_=-]{50,}+", "{64w}", "fio-u-x"),
    _key("Infracost key", "ico-", rf"{_W}{{32}}", "{32w}", "ico-x"),
    *(
        _key(
            "Plaid token",
            kind,
            r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}",
            "{8x}-{4x}-{4x}-{4x}-{12x}",
            f"{kind}x",
        )
        for kind in ("access-sandbox-", "access-development-", "access-production-")
    ),
    *(
        _key("Shippo token", kind, r"[a-f0-9]{40}", "{40x}", f"{kind}x")
        for kind in ("shippo_live_", "shippo_test_")
    ),
    _key("Scalingo token", "tk-us-", rf"{_D}{{40,}}+", "{48w}", "tk-us-x"),
    _key("Dropbox token", "sl.", rf"(?:u\.)?{_D}{{100,}}+", "u.{140w}", "sl.x", is_short=True),
    _key("Meta token", "EAA", rf"{_DIGIT}{_W}{{80,}}+", "4{150w}", "EAAx"),
    _key("Artifactory reference token", "cmVmd", rf"{_W}{{50,}}+", "{59w}", "cmVmdx"),
    _key("Yandex key", "AQVN", rf"{_D}{{32,}}+", "{36w}", "AQVNx"),
    _key("Coralogix key", "cxtp_", rf"{_W}{{24,}}+", "{30w}", "cxtp_x"),
    _key("Fly.io token", "fo1_", rf"{_D}{{40,}}+", "{43w}", "fo1_x"),
    _key("Bedrock key", "bedrock-api-key-", r"[A-Za-z0-9+/]{40,}+={0,2}", "{60w}", "bedrock-api-key-x"),
    _key("HubSpot token", "pat-", rf"[a-z]{{2}}[0-9]{_UUID}", f"na1{_UUID_EXAMPLE}", "pat-na1"),
    _key("Context7 key", "ctx7sk", _UUID, _UUID_EXAMPLE, "ctx7sk-x"),
    _key("Daytona key", "dtn_", r"[a-f0-9]{40,}+", "{64x}", "dtn_x"),
    _key("OpenAI ephemeral key", "ek_", r"[a-f0-9]{32}", "{32x}", "ek_x", is_short=True),
    _key("Browser Use key", "bu_", rf"{_DIGIT}{_D}{{36,}}+", "4{42w}", "bu_x", is_short=True),
    _key("Anyscale key", "esecret_", rf"{_W}{{20,}}+", "{30w}", "esecret_x"),
    _key("Confluent Cloud secret", "cflt", rf"{_W}{{50,}}+", "{60w}", "cfltx"),
    _key("Clickhouse Cloud secret", "4b1d", rf"{_W}{{38}}(?![A-Za-z0-9])", "{38w}", "4b1dx"),
    _key(
        "1Password secret key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        "{6u}-{11u}-{5u}-{5u}-{5u}",
        "A3-x",
        is_short=True,
    ),
    _key("GitLab runner token", "GR1348941", rf"{_D}{{20}}", "{20w}", "GR1348941x"),
    *(
        _key(
            "Harness token", kind, rf"{_D}{{22}}\.[a-f0-9]{{24}}\.{_W}{{20}}", "{22w}.{24x}.{20w}", f"{kind}x"
        )
        for kind in ("pat.", "sat.")
    ),
    _key("Octopus key", "API-", r"[A-Z0-9]{26}(?![A-Za-z0-9])", "{26u}", "API-x", is_short=True),
    *(
        _key("SettleMint token", f"sm_{kind}_", rf"{_W}{{16}}", "{16w}", f"sm_{kind}_x")
        for kind in ("pat", "aat", "sat")
    ),
    _key("Yandex token", "t1.9", rf"{_D}{{39,}}={{0,2}}\.{_D}{{80,}}={{0,2}}", "{60w}.{86w}", "t1.9x"),
    _key("42 secret", "s-s4t2", r"(?:ud|af)-[a-f0-9]{64}", "ud-{64x}", "s-s4t2x"),
    _key("Square token", "EAAA", rf"{_DIGIT}{_D}{{56,64}}(?![A-Za-z0-9])", "4{59w}", "EAAAx"),
    # Platforms for agents and their code
    *(
        _key("Polar token", f"polar_{kind}_", rf"{_D}{{20,}}+", "{43w}", f"polar_{kind}_x")
        for kind in ("oat", "pat")
    ),
    *(
        _key("Trigger.dev key", f"tr_{kind}_", rf"{_W}{{18,}}+", "{20w}", f"tr_{kind}_x")
        for kind in ("dev", "stg", "prod", "pat")
    ),
    _key("Val Town token", "vtwn_", rf"{_D}{{20,}}+", "{27w}", "vtwn_x"),
    _key("Warp key", "wk-1.", r"[a-f0-9]{40,}+", "{64x}", "wk-1.0"),
    _key("Factory key", "fk-", rf"{_DIGIT}{_D}{{20,}}-{_D}{{20,}}+", "4{20w}-{40w}", "fk-id", is_short=True),
    _key("Amp token", "sgamp_", rf"user_{_W}{{20,}}_[a-f0-9]{{40,}}+", "user_{26u}_{64x}", "sgamp_x"),
    _key(
        "Arize key",
        "ak-",
        rf"{_UUID[1:]}-{_D}{{20,}}+",
        f"{_UUID_EXAMPLE[1:]}-{{32w}}",
        "ak-x",
        is_short=True,
    ),
    *(
        _key(
            "Convex key",
            kind,
            rf"[a-z]+-[a-z]+-[0-9]{{1,4}}\|{_W}{{20,}}+=*",
            "happy-otter-123|{60w}",
            f"{kind}x",
        )
        for kind in ("prod:", "preview:", "dev:")
    ),
    Token(
        "MaxMind key",
        "_mmk",
        r"(?<=(?P<begin>[A-Za-z0-9]{6}_[A-Za-z0-9]{29})_mmk)(?![A-Za-z0-9])",
        "{6w}_{29w}_mmk",
        "x_mmk",
        inside=True,
    ),
    # Of Betterleaks' rules (config/betterleaks.toml in betterleaks/betterleaks, version 2.0.0)
    *(
        Token(name, prefix, rest, prefix + example, f"{prefix}x", "betterleaks")
        for name, prefix, rest, example in (
            ("Aikido secret", "AIK_SECRET_", rf"{_W}{{40,}}+", "{64w}"),
            ("Aikido secret", "AIK_CI_", rf"{_W}{{20,}}+", "{30w}"),
            ("Asaas token", "aact_", rf"(?:prod|hmlg)_{_D}{{20,}}+", "prod_{60w}"),
            ("Bitbucket token", "BBDC-", r"[A-Za-z0-9+/=]{32,}+", "{44w}"),
            *(
                ("Buildkite token", f"bk{kind}_", rf"{_D}{{60,}}+", "{75w}")
                for kind in ("aa", "aj", "ar", "ct", "pt", "pat")
            ),
            ("Canva secret", "cnvca", rf"{_D}{{51}}", "{51w}"),
            ("Cloudsmith key", "csa_", rf"[a-f0-9]{{30}}{_W}{{6}}", "{30x}{6w}"),
            ("CockroachDB key", "CCDB1_", rf"{_W}{{22}}_{_W}{{40}}", "{22w}_{40w}"),
            ("ConfigCat key", "configcat-sdk-1/", rf"{_D}{{22}}/{_D}{{22}}", "{22w}/{22w}"),
            ("Astra DB token", "AstraCS:", rf"{_W}{{20,}}+(?::{_W}++)?", "{24w}:{64x}"),
            ("Deno token", "ddp_", rf"{_W}{{36}}", "{36w}"),
            ("Devin key", "apk_", r"(?:user_)?[A-Za-z0-9+/]{80,}+={0,2}", "user_{140w}"),
            ("Devin token", "cog_", r"[a-z2-7]{52}", "{52a}"),
            ("Docker Swarm token", "SWMTKN-1-", r"[a-z0-9]{45,}-[a-z0-9]{20,}+", "{50x}-{25x}"),
            ("Docker Swarm key", "SWMKEY-1-", r"[A-Za-z0-9+/]{40,}+", "{43w}"),
            ("Elastic Cloud key", "essu_", rf"{_D}{{60,}}+={{0,2}}", "{80w}"),
            ("Grafana key", "eyJrIjoi", r"[A-Za-z0-9+/]{40,}+={0,2}", "{60w}"),
            ("JSON web token in Base64", "ZXlK", r"[A-Za-z0-9+/_-]{60,}+={0,2}", "{100w}"),
            ("MailerSend token", "mlsn.", rf"{_W}{{30,}}+", "{64w}"),
            ("Mercury token", "mercury_production_", rf"[a-z]{{3,6}}_{_W}{{40,}}(?:_yrucrem)?", "rma_{44w}"),
            ("Mergify key", "mergify_application_key_", rf"{_D}{{40,}}+", "{60w}"),
            ("MongoDB Atlas secret", "mdb_sa_sk_", rf"{_D}{{40}}", "{40w}"),
            ("Nylas key", "nyk_", rf"{_W}{{60,}}+", "{67w}"),
            *(("OneSignal token", f"os_v2_{kind}_", r"[a-z2-7]{60,}+", "{103a}") for kind in ("app", "org")),
            *(
                ("Onfido token", f"api_live{place}.", rf"{_DIGIT}{_D}{{20,}}+", "4{40w}")
                for place in ("", "_ca", "_us")
            ),
            ("Paddle key", "pdl_live_apikey_", rf"[a-z0-9]{{26}}_{_W}{{22}}_{_W}{{3}}", "{26x}_{22w}_{3w}"),
            ("Persona key", "persona_production_", rf"{_DIGIT}{_D}{{20,}}+", "4{40w}"),
            ("Pinterest token", "pina_", rf"{_DIGIT}{_D}{{20,}}+", "4{80w}"),
            ("Polar token", "polar_at_", rf"{_D}{{20,}}+", "{43w}"),
            ("Ramp secret", "ramp_sec_", rf"{_W}{{40,}}+", "{48w}"),
            ("Rootly key", "rootly_", r"[a-f0-9]{64}", "{64x}"),
            ("Samsara token", "samsara_api_", rf"{_W}{{26,}}+", "{30w}"),
            ("Unkey key", "unkey_", rf"{_W}{{20,}}+", "{24w}"),
            ("UpCloud token", "ucat_", rf"{_W}{{24,}}+", "{26w}"),
            ("WakaTime key", "waka_", r"[a-z0-9-]{36,}+", "{36x}"),
            ("Xendit key", "xnd_production_", rf"{_W}{{50,}}+", "{64w}"),
            ("Zuplo key", "zpka_", r"[a-z0-9]{32}_[0-9a-f]{8}", "{32x}_{8x}"),
        )
    ),
)
"""All further kinds that are searched for."""
