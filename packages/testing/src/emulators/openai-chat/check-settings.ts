/** Checks that an OpenAI model accepts the request's settings, apart from the messages. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { invalid, toList } from "../openai-responses/errors.ts";
import type { ModelTraits } from "../openai-responses/model-traits.ts";
import { findStrictFault } from "../openai-responses/strict-schema.ts";
import { textOf } from "./chat-request.ts";
import type { ChatRequest } from "./chat-request.ts";

export function checkSettings(request: ChatRequest, body: JsonObject, traits: ModelTraits): void {
  if (traits.efforts.length > 0) checkReasoning(request, body, traits);
  const { verbosity } = request;
  if (verbosity && verbosity !== "medium" && traits.version < 500) {
    throw unsupportedValue("verbosity", `'${verbosity}'`, ["medium"]);
  }
  checkResponseFormat(request);
  for (const [index, tool] of (request.tools ?? []).entries()) checkTool(tool, index);
  checkToolChoice(request, traits);
  if (request.stream_options && request.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw invalid(message, "stream_options");
  }
}

/** Reasoning models never accept the first list, and the second one only while they do not reason. */
const never = ["stop", "logit_bias", "prediction"];
const notWhileReasoning = ["frequency_penalty", "presence_penalty", "logprobs", "top_logprobs"];

function checkReasoning(request: ChatRequest, body: JsonObject, traits: ModelTraits): void {
  const { reasoning_effort: asked, max_tokens } = request;
  // Higher efforts of the newest models are for the Responses API.
  const efforts = traits.efforts.filter((effort) => effort !== "max");
  if (asked && !efforts.includes(asked)) {
    throw unsupportedValue("reasoning_effort", `'${asked}'`, efforts);
  }
  if (isGiven(max_tokens)) {
    throw unsupportedParameter("max_tokens", " Use 'max_completion_tokens' instead.");
  }
  for (const param of never) if (isGiven(body[param])) throw unsupportedParameter(param);
  const effort = asked ?? traits.usualEffort;
  if (effort === "none") return;
  for (const param of notWhileReasoning) {
    if (isGiven(body[param])) throw unsupportedParameter(param);
  }
  for (const param of ["temperature", "top_p"]) {
    const value = body[param];
    if (!isGiven(value) || value === 1) continue;
    // The o series does not know them at all.
    if (traits.version < 500) throw unsupportedParameter(param);
    throw invalid(
      `Unsupported value: '${param}' does not support ${asText(value)} with this model. Only the default (1) value is supported.`,
      param,
      "unsupported_value",
    );
  }
  checkReasoningWithTools(request, traits);
}

/** From 5.4 on, reasoning together with function calls requires the Responses API. */
function checkReasoningWithTools({ model, tools }: ChatRequest, { version }: ModelTraits): void {
  if (version < 504 || !tools?.some(({ type }) => type === "function")) return;
  const advice =
    version < 506
      ? "Please use /v1/responses instead."
      : "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
  throw invalid(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${advice}`,
    "reasoning_effort",
  );
}

function checkResponseFormat({ response_format: format, messages }: ChatRequest): void {
  if (format?.type === "json_object" && !messages.some((one) => /json/i.test(textOf(one)))) {
    throw invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      "messages",
    );
  }
  const { name = "", schema, strict } = format?.json_schema ?? {};
  if (schema === undefined || strict !== true) return;
  const fault = findStrictFault(schema);
  if (fault === undefined) return;
  throw invalid(`Invalid schema for response_format '${name}': ${fault}`, "response_format");
}

type Tool = NonNullable<ChatRequest["tools"]>[number];

function checkTool({ function: declared }: Tool, index: number): void {
  const { name = "", parameters, strict } = declared ?? {};
  // A tool without parameters may omit the schema.
  if (!isObject(parameters) || (Object.keys(parameters).length === 0 && strict !== true)) return;
  const isForObjects = parameters["type"] === "object";
  const fault = strict === true || !isForObjects ? findStrictFault(parameters) : undefined;
  if (fault === undefined) return;
  throw invalid(
    `Invalid schema for function '${name}': ${fault}`,
    `tools[${index}].function.parameters`,
    "invalid_function_parameters",
  );
}

function checkToolChoice(request: ChatRequest, { version }: ModelTraits): void {
  const { tool_choice: wanted, tools, parallel_tool_calls } = request;
  if (!tools) {
    if (wanted) throw onlyWithTools("tool_choice");
    if (isGiven(parallel_tool_calls) && version < 500) throw onlyWithTools("parallel_tool_calls");
    return;
  }
  const named = isObject(wanted) ? wanted["function"] : undefined;
  const name = isObject(named) ? asText(named["name"]) : undefined;
  if (name === undefined || tools.some((tool) => tool.function?.name === name)) return;
  // The service names the legacy fields.
  throw invalid(
    `Invalid value for 'function_call': no function named '${name}' was specified in the 'functions' parameter.`,
    "function_call",
  );
}

function onlyWithTools(param: string): Error {
  return invalid(
    `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`,
    param,
  );
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function unsupportedParameter(param: string, advice = ""): Error {
  return invalid(
    `Unsupported parameter: '${param}' is not supported with this model.${advice}`,
    param,
    "unsupported_parameter",
  );
}

function unsupportedValue(param: string, value: string, values: readonly string[]): Error {
  return invalid(
    `Unsupported value: '${param}' does not support ${value} with this model. Supported values are: ${toList(values)}.`,
    param,
    "unsupported_value",
  );
}
