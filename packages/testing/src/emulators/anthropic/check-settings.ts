/** Checks that the model accepts the request's settings, apart from the conversation. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { MessagesRequest } from "./messages-request.ts";
import type { ModelTraits } from "./model-traits.ts";

export function checkSettings(request: MessagesRequest, traits: ModelTraits): void {
  checkMaxTokens(request, traits);
  checkThinking(request, traits);
  checkEffort(request, traits);
  checkSampling(request, traits);
  checkTools(request);
  checkToolChoice(request, traits);
  const format = request.output_config?.format;
  if (format) checkStrictSchema(format.schema, "output_config.format.schema");
  if (request.stop_sequences?.some((stop) => stop.trim() === "")) {
    throw new Refusal("stop_sequences: each stop sequence must contain non-whitespace");
  }
}

function checkMaxTokens({ model, max_tokens }: MessagesRequest, traits: ModelTraits): void {
  const most = traits.maxOutputTokens;
  if (max_tokens <= most) return;
  throw new Refusal(
    `max_tokens: ${max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
  );
}

const useAdaptive = `Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;

function checkThinking(request: MessagesRequest, traits: ModelTraits): void {
  const { thinking, model, max_tokens } = request;
  if (thinking === undefined) return;
  const { type, budget_tokens = 0 } = thinking;
  if (!traits.thinking.includes(type)) {
    if (traits.thinking.length === 0) throw new Refusal(`'${model}' does not support thinking.`);
    throw new Refusal(
      type === "adaptive"
        ? "adaptive thinking is not supported on this model"
        : `"thinking.type.${type}" is not supported for this model. ${useAdaptive}`,
    );
  }
  if (type === "enabled" && max_tokens <= budget_tokens) {
    throw new Refusal(
      "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    );
  }
}

function checkEffort(request: MessagesRequest, { efforts, version }: ModelTraits): void {
  const effort = request.output_config?.effort;
  if (effort === undefined || effort === null) return;
  if (efforts.length === 0) throw new Refusal("This model does not support the effort parameter.");
  if (!efforts.includes(effort)) {
    const levels = [...efforts].sort().join(", ");
    throw new Refusal(
      `This model does not support effort level '${effort}'. Supported levels: ${levels}.`,
    );
  }
  const isHigh = effort === "xhigh" || effort === "max";
  if (isHigh && version >= 500 && request.thinking?.type === "disabled") {
    throw new Refusal(
      `output_config.effort '${effort}' is not supported when thinking is disabled`,
    );
  }
}

function checkSampling(request: MessagesRequest, traits: ModelTraits): void {
  const { temperature, top_p, top_k, thinking } = request;
  if (!traits.takesSampling) {
    // The default value is accepted all the same.
    const given = {
      temperature: temperature !== 1 && temperature,
      top_p: top_p !== 1 && top_p,
      top_k,
    };
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined && value !== false) {
        throw new Refusal(`\`${name}\` is deprecated for this model.`);
      }
    }
    return;
  }
  if (temperature !== undefined && top_p !== undefined && traits.version >= 401) {
    throw new Refusal(
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    );
  }
  if (thinking === undefined || thinking.type === "disabled") return;
  if (temperature !== undefined && temperature !== 1) {
    throw new Refusal(
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    );
  }
  if (top_k !== undefined) throw new Refusal("`top_k` must be unset when thinking is enabled.");
  if (top_p !== undefined && top_p < 0.95) {
    throw new Refusal(
      "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    );
  }
}

function checkTools({ tools = [] }: MessagesRequest): void {
  const names = tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  if (new Set(names).size < names.length) throw new Refusal("tools: Tool names must be unique.");
  for (const [index, tool] of tools.entries()) {
    const schema = tool["input_schema"];
    if (!isObject(schema)) continue;
    const path = `tools.${index}.custom`;
    if (["oneOf", "allOf", "anyOf"].some((key) => key in schema)) {
      throw new Refusal(
        `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
    }
    if (tool["strict"] === true) checkStrictSchema(schema, path);
  }
}

function checkToolChoice(request: MessagesRequest, traits: ModelTraits): void {
  const { tool_choice, tools = [], thinking } = request;
  if (tool_choice === undefined) return;
  if (tools.length === 0 && tool_choice.type !== "none") {
    throw new Refusal("tool_choice may only be specified while providing tools.");
  }
  if (tool_choice.type !== "any" && tool_choice.type !== "tool") return;
  if (!traits.takesForcedTools) {
    throw new Refusal('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  if (thinking?.type === "enabled") {
    throw new Refusal("Thinking may not be enabled when tool_choice forces tool use.");
  }
  const { name } = tool_choice;
  if (name !== undefined && !tools.some((tool) => tool["name"] === name)) {
    throw new Refusal(`Tool '${name}' not found in provided tools`);
  }
}

const unsupported: Readonly<Record<string, readonly string[]>> = {
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  string: ["minLength", "maxLength"],
  array: ["maxItems", "uniqueItems"],
};

/** For strict outputs, the service supports only part of JSON Schema. */
function checkStrictSchema(schema: JsonValue, path: string): void {
  if (isList(schema)) {
    for (const inner of schema) checkStrictSchema(inner, path);
    return;
  }
  if (!isObject(schema)) return;
  const { type } = schema;
  if (type === "object" && schema["additionalProperties"] !== false) {
    throw new Refusal(
      `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
    );
  }
  const found = (unsupported[asText(type)] ?? []).filter((key) => key in schema);
  if (found.length > 0) {
    const names = found.sort().join(", ");
    throw new Refusal(`${path}: For '${asText(type)}' type, properties ${names} are not supported`);
  }
  for (const inner of schemasIn(schema)) checkStrictSchema(inner, path);
}

/** The values of `properties` are schemas, its keys are names. */
function schemasIn(schema: JsonObject): JsonValue[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "properties" || key === "$defs" || key === "definitions") {
      return isObject(value) ? Object.values(value) : [];
    }
    return ["items", "anyOf", "allOf"].includes(key) ? [value] : [];
  });
}
