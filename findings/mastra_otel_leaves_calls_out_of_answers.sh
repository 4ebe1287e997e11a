#!/usr/bin/env bash
# Mastra 1.71.0 with @mastra/otel-exporter 1.4.0: the span of a request (`chat …`) has `gen_ai.output.messages` with the words of the answer alone. The
# conventions for generative AI have a part `tool_call` for each call there; Mastra's calls stand in an attribute of its own, `mastra.model_step.output`, of
# the span `agent_step` around the request. `gen_ai.input.messages` is on neither of them.
#
# Output seen on 2026-12-01, Node 24 (a package of npm), Linux x86-64: the lines of `expected` below.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/look.mjs" <<'JS'
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
import { z } from "zod";

const call = { id: "a", type: "function", function: { name: "look", arguments: '{"place": "home"}' } };
const answers = [{ role: "assistant", content: "I look.", tool_calls: [call] }, { role: "assistant", content: "It is warm." }];
const spans = [];
let asked = 0;
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.setHeader("content-type", "application/json");
  if (request.url.endsWith("/v1/traces")) {
    const body = JSON.parse(Buffer.concat(chunks));
    spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
  }
  if (!request.url.endsWith("/chat/completions")) return response.end("{}");
  const message = answers[asked++];
  const choice = { index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice], usage }));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const address = `http://127.0.0.1:${server.address().port}`;

const look = createTool({
  id: "look", description: "Look", inputSchema: z.object({ place: z.string() }), execute: async () => "It is warm.",
});
const model = createOpenAICompatible({ name: "here", baseURL: `${address}/v1`, apiKey: "none" }).chatModel("m");
const agent = new Agent({ id: "lab", name: "lab", instructions: "You help.", model, tools: { look } });
const exporter = new OtelExporter({ provider: { custom: { endpoint: `${address}/v1/traces`, protocol: "http/json" } } });
const observability = new Observability({ configs: { default: { serviceName: "lab", exporters: [exporter] } } });
const mastra = new Mastra({ agents: { lab: agent }, observability, logger: false });
await mastra.getAgent("lab").generate("Please do the job.", { maxSteps: 3 });
await mastra.shutdown();
for (let tries = 0; tries < 50 && !spans.some((span) => span.name.startsWith("invoke_agent")); tries++) {
  await new Promise((done) => setTimeout(done, 200));
}

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(`@mastra/core ${version("@mastra/core")}, @mastra/otel-exporter ${version("@mastra/otel-exporter")}`);
const told = (span, key) => span.attributes.find((each) => each.key === key)?.value.stringValue;
const first = (name) => spans.find((span) => span.name.startsWith(name) && JSON.stringify(span).includes("I look."));
console.log(`the request's answer: ${told(first("chat"), "gen_ai.output.messages")}`);
console.log(`the step's: ${told(first("agent_step"), "mastra.model_step.output")}`);
console.log(`spans with gen_ai.input.messages: ${spans.filter((span) => told(span, "gen_ai.input.messages")).length}`);
server.close();
process.exit(0);
JS
cd "$folder"
npm install --silent --force --no-audit --no-fund node@24 @mastra/core@1.71.0 @mastra/observability@1.17.9 @mastra/otel-exporter@1.4.0 \
    @opentelemetry/exporter-trace-otlp-http@0.223.1 @ai-sdk/openai-compatible@2.0.92 zod@4.6.7
seen=$(MASTRA_TELEMETRY_DISABLED=1 node_modules/.bin/node look.mjs 2>errors | grep -v '^$') || cat errors >&2
echo "$seen"
expected='@mastra/core 1.71.0, @mastra/otel-exporter 1.4.0
the request'"'"'s answer: [{"role":"assistant","parts":[{"type":"text","content":"I look."}]}]
the step'"'"'s: {"text":"I look.","toolCalls":[{"toolCallId":"a","toolName":"look","args":{"place":"home"}}]}
spans with gen_ai.input.messages: 0'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
