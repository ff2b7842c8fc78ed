/** Checks that the model accepts the request's settings, apart from the conversation. */
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { invalid, toList } from "./errors.ts";
import type { ModelTraits } from "./model-traits.ts";
import { itemsOf } from "./responses-request.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { findStrictFault } from "./strict-schema.ts";

export function checkSettings(request: ResponsesRequest, traits: ModelTraits): void {
  checkReasoning(request, traits);
  checkSampling(request, traits);
  checkText(request, traits);
  for (const [index, tool] of (request.tools ?? []).entries()) checkTool(tool, index);
  checkToolChoice(request);
}

function checkReasoning(request: ResponsesRequest, { efforts }: ModelTraits): void {
  const { reasoning, model } = request;
  const wantsEncrypted = request.include?.includes("reasoning.encrypted_content") === true;
  if (wantsEncrypted && efforts.length === 0) {
    throw invalid("Encrypted content is not supported with this model.", "include");
  }
  for (const [key, value] of Object.entries(reasoning ?? {})) {
    if (value === null || value === undefined || efforts.length > 0) continue;
    const param = `reasoning.${key}`;
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    throw invalid(message, param, "unsupported_parameter");
  }
  const effort = reasoning?.effort;
  if (effort === undefined || effort === null || efforts.includes(effort)) return;
  throw unsupportedValue(effort, model, efforts, "reasoning.effort");
}

/** Reasoning models accept no sampling parameters, unless reasoning is disabled. */
function checkSampling(request: ResponsesRequest, { efforts, usualEffort }: ModelTraits): void {
  const effort = request.reasoning?.effort ?? usualEffort;
  if (efforts.length === 0 || effort === "none") return;
  for (const param of ["temperature", "top_p"] as const) {
    const value = request[param];
    if (value === undefined || value === null) continue;
    throw invalid(`Unsupported parameter: '${param}' is not supported with this model.`, param);
  }
}

function checkText(request: ResponsesRequest, { version }: ModelTraits): void {
  const { verbosity, format } = request.text ?? {};
  if (verbosity && verbosity !== "medium" && version < 500) {
    throw unsupportedValue(verbosity, request.model, ["medium"], "text.verbosity");
  }
  if (format?.type === "json_object") checkMentionsJson(request);
  if (format?.type !== "json_schema" || format.strict !== true || format.schema === undefined)
    return;
  const fault = findStrictFault(format.schema);
  if (fault === undefined) return;
  throw invalid(
    `Invalid schema for response_format '${format.name ?? ""}': ${fault}`,
    "text.format.schema",
    "invalid_json_schema",
  );
}

/** Without the word, the model might write blanks forever. */
function checkMentionsJson({ input, instructions }: ResponsesRequest): void {
  const said = JSON.stringify([itemsOf(input), instructions ?? ""]);
  if (/json/i.test(said)) return;
  throw invalid(
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    "input",
  );
}

function checkTool(tool: JsonObject, index: number): void {
  const { type, name, parameters, strict } = tool;
  if (type !== "function" || !isObject(parameters)) return;
  const isObjectSchema = parameters["type"] === "object";
  const fault = strict === true || !isObjectSchema ? findStrictFault(parameters) : undefined;
  if (fault === undefined) return;
  throw invalid(
    `Invalid schema for function '${asText(name)}': ${fault}`,
    `tools[${index}].parameters`,
    "invalid_function_parameters",
  );
}

function checkToolChoice({ tool_choice, tools }: ResponsesRequest): void {
  const declared = tools ?? [];
  if (tool_choice === "required" && declared.length === 0) {
    throw invalid(
      "Tool choice 'required' must be specified with 'tools' parameter.",
      "tool_choice",
    );
  }
  if (!isObject(tool_choice) || tool_choice["type"] !== "function") return;
  const name = asText(tool_choice["name"]);
  if (declared.some((tool) => tool["name"] === name)) return;
  throw invalid(`Tool choice '${name}' not found in 'tools' parameter.`, "tool_choice");
}

function unsupportedValue(
  value: string,
  model: string,
  values: readonly string[],
  param: string,
): Error {
  return invalid(
    `Unsupported value: '${value}' is not supported with the '${model}' model. Supported values are: ${toList(values)}.`,
    param,
    "unsupported_value",
  );
}
