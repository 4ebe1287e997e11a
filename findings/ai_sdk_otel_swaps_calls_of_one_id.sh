#!/usr/bin/env bash
# AI SDK 7.0.173 with @ai-sdk/otel 1.0.173: one answer has two calls with the same identifier, as some servers give them (Kimi's and GLM's did). Both
# commands run, the first ends well, the second fails. The trace holds neither: the first command stands there twice, the one span of a tool has the
# second's arguments and the first's result, and no status is an error. The next request tells the model that it has written the first command twice.
#
# Whoever reads the trace sees a deletion that said "kept", and no failure; of the tool's second span nothing is exported.
#
# Output seen on 2026-11-30, Node 20, Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.mjs" <<'JS'
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenTelemetry } from "@ai-sdk/otel";
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

const asked = [];
const call = (what) => ({ id: "call_0", type: "function", function: { name: "change", arguments: JSON.stringify({ what }) } });
const answers = [
  { role: "assistant", content: "Both.", tool_calls: [call("keep a"), call("delete b")] },
  { role: "assistant", content: "Done." },
];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const message = answers[asked.length];
  asked.push(JSON.parse(body));
  const choice = { index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice], usage }));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const spans = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
provider.register();
registerTelemetry(new OpenTelemetry());
const ran = [];
const change = tool({
  inputSchema: z.object({ what: z.string() }),
  execute: async ({ what }) => {
    ran.push(what);
    if (what.startsWith("keep")) return "kept";
    await new Promise((later) => setTimeout(later, 200));
    throw new Error("not allowed");
  },
});
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
const model = createOpenAICompatible({ name: "here", baseURL, apiKey: "none" })("m");
await generateText({ model, tools: { change }, prompt: "Please do the job.", stopWhen: isStepCount(3) });
server.close();

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(`ai ${version("ai")}, @ai-sdk/otel ${version("@ai-sdk/otel")}`);
console.log(`ran: ${ran.join(", ")}`);
const all = spans.getFinishedSpans();
const [chat] = all.filter((span) => span.name.startsWith("chat"));
const parts = JSON.parse(chat.attributes["gen_ai.output.messages"])[0].parts.filter((part) => part.type === "tool_call");
console.log(`calls of the answer: ${parts.map((part) => part.arguments.what).join(", ")}`);
for (const span of all.filter((each) => each.name.startsWith("execute_tool"))) {
  const given = span.attributes;
  console.log(`span of a tool: ${given["gen_ai.tool.call.arguments"]} gave ${given["gen_ai.tool.call.result"]}`);
}
console.log(`spans with an error: ${all.filter((span) => span.status.code === 2).length}`);
const told = asked[1].messages.flatMap((message) => message.tool_calls ?? []).map((each) => each.function.arguments);
console.log(`the model is told that it wrote: ${told.join(", ")}`);
JS
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/otel@1.0.173 @ai-sdk/openai-compatible@2.0.92 \
    @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-node@2.12.1 zod@4.6.7
seen=$(node look.mjs)
echo "$seen"
expected='ai 7.0.173, @ai-sdk/otel 1.0.173
ran: keep a, delete b
calls of the answer: keep a, keep a
span of a tool: {"what":"delete b"} gave "kept"
spans with an error: 0
the model is told that it wrote: {"what":"keep a"}, {"what":"keep a"}'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
