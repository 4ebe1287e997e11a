"""What holds of the native formats that are not JSON between markers: no text breaks them or slows them down."""

import random
import tomllib
from pathlib import Path

import pytest
from steps import growth_fault

from actionledger.core.vocabulary import RepairKind
from actionledger.reading.parsers import DialectParser, parser_for

NAMES = (
    *(
        "qwen3_coder",
        "glm",
        "deepseek_dsml",
        "step3",
        "hunyuan",
        "minimax",
        "granite",
        "nemotron",
        "cohere",
        "llama3_json",
        "pythonic",
        "llama4_pythonic",
        "lfm2",
        "minicpm",
        "gemma",
    ),
    *("python_fence", "react", "harmony", "search_replace", "bash_fence", "command_tags", "apply_patch"),
    *(
        "apertus",
        "dots",
        "functionary",
        "gigachat3",
        "gigachat35",
        "inkling",
        "internlm",
        "k2_horizon",
        "kimi_k3",
        "cohere_xml",
    ),
    *("longcat", "muse_glimmer", "plamo", "seed_oss", "solar_open", "solar_open2", "beam", "iquest_q1"),
    *("iquest_coder", "step_audio"),
)
CASES = sorted(path for name in NAMES for path in (Path(__file__).parents[2] / "cases" / name).glob("*.toml"))
OFFERED = frozenset({"f"})
SMALL, LARGE = 2_000, 32_000

D, G = "｜DSML｜", "｜GCML｜"
K = '<|open|>call tool="f"<|sep|>'
C = '<cofl:tool_call id="0" name="f">'
T = "]<]minimax[>["
BEAM = "to=f<|channel|>analysis<|message|>"
FAMILIES = {
    "qwen openings": ("qwen3_coder", "", "<function=f>", ""),
    "qwen open values": ("qwen3_coder", "", "<function=f><parameter=a>", ""),
    "qwen values closed at the end": ("qwen3_coder", "", "<function=f><parameter=a>", "</parameter>"),
    "qwen parameters": ("qwen3_coder", "<function=f>", "<parameter=a>", ""),
    "qwen stray closers": ("qwen3_coder", "<function=f><parameter=a>", "</parameter>\n\n", "</function>"),
    "qwen calls in values": (
        "qwen3_coder",
        "",
        "<function=f><parameter=a><function=f><parameter=a></parameter>",
        "",
    ),
    "qwen outer tags": ("qwen3_coder", "", "<tool_call>\n", ""),
    "qwen group": ("qwen3_coder", "<tool_call>", "<function=f></function>", ""),
    "glm open values": ("glm", "", "<tool_call>f<arg_key>a</arg_key><arg_value>", ""),
    "glm names": ("glm", "", "<tool_call>f", ""),
    "dsml openings": ("deepseek_dsml", f"<{D}function_calls>", f'<{D}invoke name="f">', ""),
    "dsml open values": (
        "deepseek_dsml",
        "",
        f'<{D}invoke name="f"><{D}parameter name="a" string="false">[[[[',
        "",
    ),
    "dsml open objects": ("deepseek_dsml", "", f'<{D}invoke name="f">{{"a": ', ""),
    "dsml closing tags of another spelling": (
        "deepseek_dsml",
        "",
        f'<{D}invoke name="f"><{D}parameter name="a">x</parameter>',
        "",
    ),
    "dsml calls that close themselves": ("deepseek_dsml", f"<{D}tool_calls>", f'<{D}invoke name="f"/>', ""),
    "dsml openings with blanks": ("deepseek_dsml", "", f'<{D} calls><{D} invoke name="f">', ""),
    "dsml openings without token": ("deepseek_dsml", "", '<function_calls><invoke name="f">', ""),
    "dsml open values without token": (
        "deepseek_dsml",
        "",
        '<invoke name="f"><parameter name="a" string="true">',
        "",
    ),
    "step3 openings": ("step3", "", "<｜tool_call_begin｜>", ""),
    "step3 tags": ("step3", "", "<steptml:toolcall>", ""),
    "step3 open values": ("step3", "", '<steptml:invoke name="f"><steptml:parameter name="a">', ""),
    "step3 function tags": ("step3", "", "<function=f><parameter=a>", ""),
    "hunyuan groups": ("hunyuan", "", "<tool_calls>\n<tool_call>", ""),
    "hunyuan names": ("hunyuan", "", "<tool_call>f<tool_sep>", ""),
    "hunyuan open values": ("hunyuan", "", "<tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>", ""),
    "hunyuan open tags with suffixes": ("hunyuan", "", "<tool_calls:a><tool_call:a>f", ""),
    "hunyuan suffixes by turns": ("hunyuan", "", "<tool_calls:a><tool_calls:b>", ""),
    "minimax tokens": ("minimax", "", T, ""),
    "minimax groups": ("minimax", "", f"{T}<tool_call>", ""),
    "minimax openings": ("minimax", f"{T}<tool_call>", f'{T}<invoke name="f">', ""),
    "minimax open values": ("minimax", "", f'{T}<tool_call>{T}<invoke name="f">{T}<a>x', ""),
    "minimax values in values": ("minimax", f'{T}<invoke name="f">', f"{T}<a>", ""),
    "minimax values": ("minimax", f'{T}<invoke name="f">', f"{T}<a>x{T}</a>", f"{T}</invoke>"),
    "granite tags": ("granite", "", "<function_call>", ""),
    "granite open objects": ("granite", "", '<function_call> {"name": "f", "arguments": {"a": "', ""),
    "nemotron tags": ("nemotron", "", "<TOOLCALL>", ""),
    "nemotron open lists": ("nemotron", "", '<TOOLCALL>[{"name": "f", "arguments": {"a": "', ""),
    "nemotron objects": ("nemotron", "<TOOLCALL>", '{"name": "f", "arguments": {}}, ', ""),
    "cohere tokens": ("cohere", "", "<|START_ACTION|>", ""),
    "cohere open lists": ("cohere", "", '<|START_ACTION|>[{"tool_name": "f", "parameters": {"a": "', ""),
    "cohere thoughts": ("cohere", "", "<|START_THINKING|>", ""),
    "cohere labels": ("cohere", "", "Action:\n", ""),
    "cohere open fences": ("cohere", "", 'Action:\n```json\n[{"tool_name": "', ""),
    "cohere values of others": ("cohere", "", 'Action:\n```json\n{"a": 1}\n```\n', ""),
    "llama names": ("llama3_json", "", "<function=", ""),
    "llama open objects": ("llama3_json", "", '<function=f>{"a": "', ""),
    "llama built-in tools": ("llama3_json", "", "<|python_tag|>f.call(", ""),
    "llama objects on a line": ("llama3_json", "", '{"name": "f", "parameters": {}}', ""),
    "open lists": ("pythonic", "", "[f(\n", ""),
    "open strings": ("pythonic", "", "[f(a='\n", ""),
    "open long strings": ("pythonic", "", "[f(a='''\n", ""),
    "lists": ("pythonic", "", "[f(a=1)]\n", ""),
    "shown lists": ("pythonic", "", "[f(a=x)]\n", ""),
    "calls in a list": ("pythonic", "[", "f(a=1),", "]"),
    "arguments": ("pythonic", "[f(", "a=1,", ")]"),
    "values in a list": ("pythonic", "[f(a=[", "1,", "])]"),
    "brackets": ("pythonic", "[f(a=", "[", "]"),
    "minus signs": ("pythonic", "[f(a=", "-", "1)]"),
    "sums": ("pythonic", "[f(a=", "1+", "1)]"),
    "open tags": ("pythonic", "", "<function_calls>f(", ""),
    "llama tokens": ("llama4_pythonic", "", "<|python_start|>[f(", ""),
    "lfm tokens": ("lfm2", "", "<|tool_call_start|>[f(a=1", ""),
    "lfm tokens in strings": ("lfm2", "", "<|tool_call_start|>[f(a='", ""),
    "minicpm tokens": ("minicpm", "", "<|tool_call_start|>```python\nf(", ""),
    "minicpm thoughts": ("minicpm", "", "<|thought_start|>", ""),
    "minicpm tags": ("minicpm", "", '<function name="f">', ""),
    "minicpm open values": ("minicpm", "", '<function name="f"><param name="a">', ""),
    "minicpm open sections": ("minicpm", "", '<function name="f"><param name="a"><![CDATA[', ""),
    "minicpm sections": ("minicpm", "", '<function name="f"><param name="a"><![CDATA[x]]></param>', ""),
    "broken tool_code": ("gemma", "", "```tool_code\nf(\n```\n", ""),
    "open tool_code": ("gemma", "", "```tool_code\nf(\n", ""),
    "gemma tokens": ("gemma", "", "<start_function_call>call:f{a:", ""),
    "gemma strings": ("gemma", "", "<start_function_call>call:f{a:<escape>", ""),
    "gemma objects": ("gemma", "<start_function_call>call:f{a:", "{a:", ""),
    "gemma thoughts": ("gemma", "", "<|channel>", ""),
    "gemma 4 tokens": ("gemma", "", '<|tool_call>:f{a:<|"|>', ""),
    "kimi sections": ("kimi_k2", "", "<|tool_call_section_begin|>", ""),
    "kimi open calls": ("kimi_k2", "", "<|tool_call_section_begin|><|tool_call_begin|>f:0", ""),
    "broken fences": ("python_fence", "", "```python\nf(\n```\n", ""),
    "open strings in fences": ("python_fence", "", "```python\nf(a='''\n```\n", ""),
    "programs": ("python_fence", "", "```python\nf(a=1)\nx=2\n```\n", ""),
    "statements": ("python_fence", "```python\n", "f(a=1)\n", "```"),
    "commands": ("bash_fence", "", "```bash\nls\n```\n", ""),
    "open commands": ("bash_fence", "", "```bash\nls\n", ""),
    "commands in tags": ("command_tags", "", "<command>ls</command>\n", ""),
    "open command tags": ("command_tags", "", "<command>\n", ""),
    "mentioned command tags": ("command_tags", "", "a <command>", "\n<command>ls</command>"),
    "closed command tags": ("command_tags", "<command>", "</command>\n", ""),
    "patches": ("apply_patch", "", "*** Begin Patch\n*** Delete File: a\n*** End Patch\n", ""),
    "open patches": ("apply_patch", "", "*** Begin Patch\n*** Delete File: a\n", ""),
    "open patches in fences": ("apply_patch", "", "```\n*** Begin Patch\n+a\n```\n", ""),
    "here-documents": ("apply_patch", "", "apply_patch <<'EOF'\n*** Begin Patch\n", ""),
    "lines of a patch": ("apply_patch", "*** Begin Patch\n*** Update File: a\n", "@@\n+a\n", "*** End Patch"),
    "names without input": ("react", "", "Action: f\n", ""),
    "open objects": ("react", "", "Action: f\nAction Input: {\n", ""),
    "invented observations": ("react", "", "Action: f\nAction Input: x\nObservation: y\n", ""),
    "fenced actions": ("react", "", "```\nAction: f\nAction Input: x\n```\n", ""),
    "long input": ("react", "Action: f\nAction Input: ", "a\n", ""),
    "asterisks": ("react", "", "*", ""),
    "channels": ("harmony", "", "<|channel|>", ""),
    "open thoughts": ("harmony", "", "<|channel|>analysis<|message|>", ""),
    "channels in thoughts": ("harmony", "<|channel|>analysis<|message|>", "<|channel|>a", ""),
    "open messages": ("harmony", "", "<|channel|>commentary to=functions.f<|message|>{", ""),
    "apertus tokens": ("apertus", "", "<|tools_prefix|>", ""),
    "apertus lists": ("apertus", "", '<|tools_prefix|>[{"f": {"a": "', ""),
    "apertus objects": ("apertus", "<|tools_prefix|>[", '{"f": {}},', "]<|tools_suffix|>"),
    "apertus thoughts": ("apertus", "x", "<|inner_prefix|>", ""),
    "apertus thoughts behind blanks": ("apertus", " " * 5_000, "<|inner_prefix|>", ""),
    "dots tags": ("dots", "", "<dots_function_call>\n", ""),
    "dots invocations": ("dots", "", '<dots_function_call><invoke name="f"><parameter name="a">', ""),
    "dots invocations in a group": ("dots", "<dots_function_call>", '<invoke name="f"></invoke>', ""),
    "dots objects": ("dots", "", '<dots_function_call>{"name": "', ""),
    "functionary tags": ("functionary", "", "<function=f>{", ""),
    "functionary strings": ("functionary", "", '<function=f>{"a": "\n', ""),
    "functionary calls": ("functionary", "", '<function=f>{"a": 1}</function>\n', ""),
    "gigachat tokens": ("gigachat3", "", "<|function_call|>", ""),
    "gigachat turns": ("gigachat3", "", "function call<|role_sep|>\n{", ""),
    "gigachat strings": ("gigachat3", "", '<|function_call|>{"name": "', ""),
    "gigachat calls": ("gigachat3", "", '<|function_call|>{"name": "f"}<|message_sep|>', ""),
    "cofl groups": ("cohere_xml", "", "<cofl:tool_calls>", ""),
    "cofl openings": ("cohere_xml", "<cofl:tool_calls>", C, ""),
    "cofl open values": ("cohere_xml", "", f'{C}<cofl:value name="a" type="raw">', ""),
    "cofl calls that open a list": ("cohere_xml", "", f'{C}<cofl:value name="a" type="list">', ""),
    "cofl lists": ("cohere_xml", f'{C}<cofl:value name="a" type="list">', '<cofl:value type="list">', ""),
    "cofl texts in a list": (
        "cohere_xml",
        f'{C}<cofl:value name="a" type="list">',
        '<cofl:value type="raw">a</cofl:value>',
        "</cofl:value></cofl:tool_call>",
    ),
    "cofl stray closers": ("cohere_xml", f'{C}<cofl:value name="a" type="raw">', "</cofl:value>", ""),
    "cofl calls": ("cohere_xml", "", f"{C}</cofl:tool_call>", ""),
    "gcml groups": ("gigachat35", "", f"<{G}tool_calls>\n", ""),
    "gcml openings": ("gigachat35", f"<{G}tool_calls>", f'<{G}invoke name="f">', ""),
    "gcml open values": (
        "gigachat35",
        "",
        f'<{G}invoke name="f"><{G}parameter name="a" string="false">[[[[',
        "",
    ),
    "inkling tokens": ("inkling", "", "<|content_invoke_tool_json|>", ""),
    "inkling headers": ("inkling", "", "<|message_model|>f", ""),
    "inkling objects": ("inkling", "", '<|message_model|>f<|content_invoke_tool_json|>{"name": "', ""),
    "inkling thoughts": ("inkling", "x", "<|content_thinking|>", ""),
    "inkling calls": (
        "inkling",
        "",
        '<|message_model|>f<|content_invoke_tool_json|>{"name": "f"}<|end_message|>',
        "",
    ),
    "internlm tokens": ("internlm", "", "<|action_start|>\n", ""),
    "internlm objects": ("internlm", "", '<|action_start|><|plugin|>{"name": "', ""),
    "internlm closed at the end": ("internlm", "", "<|action_start|><|plugin|>{", "<|action_end|>"),
    "horizon groups": ("k2_horizon", "", "<ifm|tool_calls>\n", ""),
    "horizon names": ("k2_horizon", "", "<ifm|tool_call>f\n", ""),
    "horizon open values": (
        "k2_horizon",
        "",
        "<ifm|tool_call>f<ifm|arg_key>a</ifm|arg_key><ifm|arg_value>",
        "",
    ),
    "horizon objects": ("k2_horizon", "", '<ifm|tool_calls><ifm|tool_call>{"name": "', ""),
    "horizon objects in a group": (
        "k2_horizon",
        "<ifm|tool_calls>",
        '<ifm|tool_call>{"name": "f"}</ifm|tool_call>',
        "",
    ),
    "horizon thoughts": ("k2_horizon", "x", "<ifm|think>", ""),
    "xtml sections": ("kimi_k3", "", "<|open|>tools<|sep|>\n", ""),
    "xtml openings": ("kimi_k3", "<|open|>tools<|sep|>", K, ""),
    "xtml open values": ("kimi_k3", "", f'{K}<|open|>argument key="a" type="string"<|sep|>', ""),
    "xtml attributes": ("kimi_k3", "<|open|>call", ' a="b"', "<|sep|>"),
    "xtml open attributes": ("kimi_k3", "", '<|open|>call tool="', ""),
    "xtml thoughts": ("kimi_k3", "x", "<|open|>think<|sep|>", ""),
    "longcat tags": ("longcat", "", "<longcat_tool_call>\n", ""),
    "longcat names": ("longcat", "", "<longcat_tool_call>f\n", ""),
    "longcat objects": ("longcat", "", '<longcat_tool_call>{"name": "', ""),
    "longcat open values": (
        "longcat",
        "",
        "<longcat_tool_call>f<longcat_arg_key>a</longcat_arg_key><longcat_arg_value>",
        "",
    ),
    "iquest tags": ("iquest_q1", "", "<iquest_tool_call>", ""),
    "iquest names": ("iquest_q1", "", "<iquest_tool_call>f\n", ""),
    "iquest open values": ("iquest_q1", "", "<iquest_tool_call>f<arg_key>a</arg_key><arg_value>", ""),
    "iquest coder tags": ("iquest_coder", "", "<iquestcoder_tool_call>", ""),
    "iquest coder open values": (
        "iquest_coder",
        "",
        "<iquestcoder_tool_call>f<arg_key>a</arg_key><arg_value>",
        "",
    ),
    "step audio heads": ("step_audio", "", "<tool_call>function\nf\n", ""),
    "step audio words": ("step_audio", "", "<tool_call>function\n", ""),
    "step audio open values": ("step_audio", "", '<tool_call>function\nf\n{"a": "', ""),
    "openpangu tokens": ("lfm2", "", "[unused11]", ""),
    "beam headers": ("beam", "", f"{BEAM}\n", ""),
    "beam openings": ("beam", "", "<|start|>assistant to=", ""),
    "beam open values": ("beam", "", f'{BEAM}<rfl:parameter name="a">\n', ""),
    "beam thoughts": ("beam", "x", "<|channel|>analysis<|message|>", ""),
    "inkling texts": ("inkling", "", "<|message_model|>f<|content_invoke_tool_text|>a", ""),
    "atem groups": ("muse_glimmer", "", "<atem:function_calls>\n", ""),
    "atem openings": ("muse_glimmer", "<atem:function_calls>", '<atem:invoke name="f">', ""),
    "atem open values": ("muse_glimmer", "", '<atem:invoke name="f"><atem:parameter name="a">', ""),
    "atem messages": ("muse_glimmer", "x", "to=self<|message|>", ""),
    "seed tags": ("seed_oss", "", "<seed:tool_call>\n", ""),
    "seed open values": ("seed_oss", "", "<seed:tool_call><function=f><parameter=a>", ""),
    "seed functions in a tag": ("seed_oss", "<seed:tool_call>", "<function=f></function>", ""),
    "seed functions cut": (
        "seed_oss",
        "<seed:tool_call><function=f></function>",
        "<function=f><parameter=a>",
        "",
    ),
    "seed thoughts": ("seed_oss", "x", "<seed:think>", ""),
    "functionary messages": ("functionary", "", ">>>f\n{", ""),
    "functionary brackets": ("functionary", "f\n{}", ">>>", "f\n{}"),
    "plamo sections": ("plamo", "", "<|plamo:begin_tool_requests:plamo|>", ""),
    "plamo open calls": (
        "plamo",
        "",
        "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>f",
        "",
    ),
    "solar sections": ("solar_open", "", "<|tool_calls|>\n", ""),
    "solar open calls": ("solar_open", "", "<|tool_call:begin|>0<|tool_call:name|>f<|tool_call:args|>{", ""),
    "solar calls": (
        "solar_open",
        "<|tool_calls|>",
        "<|tool_call:begin|><|tool_call:name|>f<|tool_call:args|>{}<|tool_call:end|>",
        "",
    ),
    "solar names": ("solar_open2", "", "<|tool_call:start|>f\n", ""),
    "solar open values": (
        "solar_open2",
        "",
        "<|tool_call:start|>f\n<|tool_arg:start|>a<|tool_arg:value|>",
        "",
    ),
    "solar arguments": (
        "solar_open2",
        "<|tool_call:start|>f\n",
        "<|tool_arg:start|>a<|tool_arg:value|><|tool_arg:end|>",
        "",
    ),
    "calls in a list in an object": ("json", '{"tool_calls": [', '{"name": "f", "arguments": {}},', "]}"),
    "marks": ("search_replace", "", "<<<<<<< SEARCH\n", ""),
    "open edits": ("search_replace", "", "x.py\n```\n<<<<<<< SEARCH\n", ""),
    "edits in a fence": (
        "search_replace",
        "x.py\n```\n",
        "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n",
        "```",
    ),
    "dividers": ("search_replace", "x.py\n<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE"),
    "open fences": ("search_replace", "", "x.py\n<source>\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", ""),
    "edits ended by their fence": ("search_replace", "", "x.py\n```\n<<<<<<< SEARCH\na\n```\n", ""),
}


def parser_of(name):
    dialects = parser_for((name,)).dialects
    return DialectParser(name=name, dialects=dialects, decoding={"repairs": list(RepairKind)})


def made(family, size):
    """Return a text of a family; one with a long beginning is longer."""
    _, head, unit, tail = FAMILIES[family]
    return head + unit * (size // len(unit)) + tail


@pytest.mark.soak
@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("family", FAMILIES)
def test_steps_grow_with_the_text(family):
    """Sixteen times the text takes no more than twenty times the steps."""
    parser = parser_of(FAMILIES[family][0])
    times = 1 + len(FAMILIES[family][1]) // SMALL
    small, large = made(family, SMALL * times), made(family, LARGE * times)
    assert not growth_fault(lambda text: parser.read(text, OFFERED), small, large)


@pytest.mark.parametrize("name", NAMES)
def test_cases_torn_to_pieces_can_be_read(name, assert_invariants):
    """Whatever is left out, doubled or moved, there is a reading, and all that holds of readings holds of it."""
    shuffled = random.Random(name)
    texts = [
        tomllib.loads(path.read_text(encoding="utf-8"))["text"] for path in CASES if path.parent.name == name
    ]
    pieces = [piece for text in texts for piece in text.splitlines(keepends=True)]
    pieces += [text[at : at + 9] for text in texts for at in range(0, len(text), 9)]
    parser = parser_of(name)
    for _ in range(150):
        torn = "".join(shuffled.choices(pieces, k=shuffled.randrange(1, 12)))
        for names in (None, OFFERED):
            assert_invariants(parser.read(torn, names), parser)
