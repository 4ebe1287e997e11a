#!/usr/bin/env bash
# AI SDK 7.0.173 with @ai-sdk/otel 1.0.173: calls that it refuses before they run (broken arguments, a tool that there is not) are in its trace as
# calls, with no span of a tool, no span with an error and no event: the SDK's result marks them `invalid`. Only the words that the next request
# shows the model tell of it, beside arguments `{}` that the model didn't write.
#
# The span of the whole agent then says that its last answer ("Done.", finish reason "stop") holds these calls, after its words: it puts the calls of
# all steps behind the text of the last. Tokens of reasoning, which the provider counts, are on no span.
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
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

let asked = 0;
const call = (id, name, text) => ({ id, type: "function", function: { name, arguments: text } });
const answers = [
  { role: "assistant", content: "Both.", tool_calls: [call("a", "look", '{"place": "ho'), call("b", "teleport", '{"place": "moon"}')] },
  { role: "assistant", content: "Done." },
];
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const message = answers[asked++];
  const choice = { index: 0, message, finish_reason: message.tool_calls ? "tool_calls" : "stop" };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18, completion_tokens_details: { reasoning_tokens: 5 } };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice], usage }));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const spans = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
provider.register();
registerTelemetry(new OpenTelemetry());
const look = tool({ inputSchema: z.object({ place: z.string() }), execute: async () => "It is warm." });
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
const model = createOpenAICompatible({ name: "here", baseURL, apiKey: "none" })("m");
const result = await generateText({ model, tools: { look }, prompt: "Please do the job.", stopWhen: isStepCount(3) });
server.close();

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
console.log(`ai ${version("ai")}, @ai-sdk/otel ${version("@ai-sdk/otel")}`);
const invalid = result.steps[0].toolCalls.map((each) => `${each.toolName} ${each.invalid}`);
console.log(`the result's calls, invalid: ${invalid.join(", ")}; reasoning tokens: ${result.totalUsage.outputTokenDetails.reasoningTokens}`);
const all = spans.getFinishedSpans();
console.log(`spans: ${all.map((span) => span.name).join(", ")}`);
console.log(`spans with an error: ${all.filter((span) => span.status.code === 2).length}; events: ${all.flatMap((span) => span.events).length}`);
const shown = (part) => part.content ?? `${part.name}(${JSON.stringify(part.arguments)})`;
const said = (span, side) => JSON.parse(span.attributes[`gen_ai.${side}.messages`]);
const [first, second] = all.filter((span) => span.name.startsWith("chat"));
console.log(`the answer: ${said(first, "output")[0].parts.map(shown).join(" | ")}`);
console.log(`the same, as it was shown again: ${said(second, "input")[1].parts.map(shown).join(" | ")}`);
const agent = all.find((span) => span.name.startsWith("invoke_agent"));
const [last] = said(agent, "output");
console.log(`the agent's answer: ${last.parts.map(shown).join(" | ")}; ${last.finish_reason}`);
console.log(`attributes about reasoning: ${all.flatMap((span) => Object.keys(span.attributes)).filter((key) => key.includes("reason") && key.includes("usage")).length}`);
JS
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/otel@1.0.173 @ai-sdk/openai-compatible@2.0.92 \
    @opentelemetry/api@1.9.1 @opentelemetry/sdk-trace-node@2.12.1 zod@4.6.7
seen=$(node look.mjs)
echo "$seen"
expected='ai 7.0.173, @ai-sdk/otel 1.0.173
the result'"'"'s calls, invalid: look true, teleport true; reasoning tokens: 10
spans: chat m, step 1, chat m, step 2, invoke_agent m
spans with an error: 0; events: 0
the answer: Both. | look("{\"place\": \"ho") | teleport({"place":"moon"})
the same, as it was shown again: Both. | look({}) | teleport({"place":"moon"})
the agent'"'"'s answer: Done. | look("{\"place\": \"ho") | teleport({"place":"moon"}); stop
attributes about reasoning: 0'
[[ $seen == "$expected" ]] || {
    echo "This has changed." >&2
    exit 1
}
