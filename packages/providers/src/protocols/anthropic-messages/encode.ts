/** Encodes a request. */
import type { ProviderRequest } from "@capstan/kernel";
import { mergeExtra, vendorOptionsOf } from "../../wire/merge-extra.ts";
import { nothingToSay } from "../../projection/nothing-to-say.ts";
import type { Target, WireRequest } from "../../wire/protocol.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { listOf } from "../../wire/wire-json.ts";
import type { MarkablePrompt } from "./cache-markers.ts";
import { markForCache } from "./cache-markers.ts";
import { traitsOf } from "./claude-models.ts";
import { containerUnderWay } from "./container-under-way.ts";
import { toTextBlock } from "./encode-media.ts";
import { planOutput } from "./encode-output.ts";
import { isThinkingBlock } from "./encode-reply.ts";
import type { ThinkingPlan } from "./encode-thinking.ts";
import { planThinking } from "./encode-thinking.ts";
import { isForced, toWireChoice, toWireTool } from "./encode-tools.ts";
import { encodeTurns } from "./encode-turns.ts";
import { betasOf, countMarkers, markerOf, reservedOptions } from "./extra-options.ts";
import type { MessagesRequest, TextBlock, WireMessage } from "./request.ts";

/** The vendor rejects any other word. */
type ServiceTier = NonNullable<MessagesRequest["service_tier"]>;

export function encode(request: ProviderRequest, target: Target): WireRequest {
  const { options } = request;
  const { model } = target.origin;
  const extra = vendorOptionsOf(options, target.origin.provider);
  const traits = traitsOf(model);
  const facts = options.modelFacts;
  const maxTokens = options.maxTokens ?? facts?.maxOutputTokens ?? traits.maxOutputTokens;
  const choice = request.toolChoice ?? options.toolChoice;
  const hasTools = request.tools.length + listOf(extra["tools"]).length > 0;
  const mustCall = hasTools && isForced(choice) && traits.forcedTool !== "never";
  const plan = planThinking(options, traits, maxTokens, mustCall);
  const output = planOutput(options, plan, traits);
  const { sendsThinking } = plan;
  const turns = encodeTurns(request.messages, target, { facts, sendsThinking, traits });
  if (turns.messages.length === 0) throw nothingToSay(target);
  const { tools, system, messages } = marked(extra, {
    tools: request.tools.map(toWireTool),
    system: [...toSystem(options.systemPrompt), ...turns.system, ...output.told],
    messages: turns.messages,
  });
  const thinking = mayThink(plan, messages) ? plan.thinking : undefined;
  const toolChoice = hasTools ? toWireChoice(choice, mustCall) : undefined;
  const sampling = traits.takesTemperature && !plan.isOn ? samplingOf(options) : {};
  const { stop = [], serviceTier } = options;
  const container = containerUnderWay(request.messages, target.origin);
  // Constant fields first, growing fields after them.
  const body: MessagesRequest = {
    model,
    max_tokens: maxTokens,
    stream: target.isStreaming,
    ...(thinking && { thinking }),
    ...(output.config && { output_config: output.config }),
    ...sampling,
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(serviceTier !== undefined && { service_tier: serviceTier as ServiceTier }),
    ...(tools.length > 0 && { tools }),
    ...(system.length > 0 && { system }),
    messages,
    ...(toolChoice && { tool_choice: toolChoice }),
    ...(container !== undefined && { container }),
  };
  const betas = new Set([...(thinking ? plan.betas : []), ...betasOf(extra)]);
  return {
    path: "/v1/messages",
    ...(betas.size > 0 && { headers: { "anthropic-beta": Array.from(betas).join(",") } }),
    // All JSON, except that nothing guarantees it for tool schemas.
    body: mergeExtra(body as unknown as JsonObject, extra, reservedOptions),
    partAt: turns.partAt,
  };
}

/** Newer models accept either a temperature or a top-p. */
function samplingOf({
  temperature,
  topP,
  topK,
}: ProviderRequest["options"]): Pick<MessagesRequest, "temperature" | "top_p" | "top_k"> {
  const hasTemperature = temperature !== undefined;
  return {
    ...(hasTemperature && { temperature }),
    ...(!hasTemperature && topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

function marked(extra: JsonObject, prompt: MarkablePrompt): MarkablePrompt {
  const marker = markerOf(extra);
  return marker === undefined ? prompt : markForCache(prompt, marker, countMarkers(extra));
}

function toSystem(systemPrompt: string | undefined): TextBlock[] {
  const block = toTextBlock(systemPrompt ?? "");
  return block === undefined ? [] : [block];
}

/**
 * With a budget, the current turn must begin with thinking if it is to have any. It does not if it began without thinking, or with
 * another model; then the rest of the turn does not think.
 */
function mayThink({ thinking }: ThinkingPlan, messages: readonly WireMessage[]): boolean {
  if (thinking?.type !== "enabled") return true;
  const asked = messages.findLastIndex(
    ({ role, content }) => role === "user" && content.some(({ type }) => type !== "tool_result"),
  );
  const reply = messages.slice(asked + 1).find((message) => message.role === "assistant");
  const first = reply?.content[0];
  return first === undefined || isThinkingBlock(first);
}
