/** Checks that the tools of a request can be called, and that the tool config matches them. */
import { isObject } from "../json.ts";
import { checkJsonSchema, checkSchema } from "./check-schema.ts";
import { invalid, invalidField } from "./errors.ts";
import { declarationsOf } from "./generate-request.ts";
import type { FunctionDeclaration, GenerateRequest, Tool } from "./generate-request.ts";
import type { ModelTraits } from "./model-traits.ts";
import { ownTools } from "./request-fields.ts";

export function checkTools(request: GenerateRequest, traits: ModelTraits): void {
  const { tools = [] } = request;
  for (const [index, tool] of tools.entries()) checkTool(tool, index);
  checkUnique(declarationsOf(request));
  checkMix(request, traits);
  checkChoice(request);
}

function checkTool(tool: Tool, index: number): void {
  const { functionDeclarations = [] } = tool;
  const isEmpty = functionDeclarations.length === 0;
  if (isEmpty && ![...ownTools, "mcpServers"].some((key) => key in tool)) {
    throw invalid(
      `tools[${index}].tool_type: required one_of 'tool_type' must have one initialized field`,
    );
  }
  for (const [at, declaration] of functionDeclarations.entries()) {
    checkDeclaration(declaration, `tools[${index}].function_declarations[${at}]`);
  }
}

function checkDeclaration(declaration: FunctionDeclaration, path: string): void {
  const { name = "", parameters, parametersJsonSchema: jsonSchema } = declaration;
  if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) {
    throw invalidField(
      `${path}.name`,
      "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
    );
  }
  if (parameters !== undefined && jsonSchema !== undefined) {
    throw invalidField(path, "only one of parameters and parameters_json_schema may be set.");
  }
  if (parameters !== undefined) checkSchema(parameters, `${path}.parameters`);
  if (jsonSchema === undefined) return;
  const field = `${path}.parameters_json_schema`;
  checkJsonSchema(jsonSchema, field);
  const type = isObject(jsonSchema) ? jsonSchema["type"] : undefined;
  if (type === undefined || type === "object") return;
  throw invalidField(field, "the schema of parameters must be of type object");
}

function checkUnique(declarations: readonly FunctionDeclaration[]): void {
  const names = declarations.map(({ name = "" }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`Duplicate function declaration found: ${twice}`);
}

/** The vendor's own tools together with functions: not before the third generation, and then only if enabled. */
function checkMix(request: GenerateRequest, { version }: ModelTraits): void {
  const { tools = [], toolConfig } = request;
  const hasOwn = tools.some((tool) => ownTools.some((key) => key in tool));
  if (!hasOwn || declarationsOf(request).length === 0) return;
  if (version < 300) throw invalid("Tool use with function calling is unsupported");
  if (toolConfig?.includeServerSideToolInvocations === true) return;
  throw invalid(
    "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
  );
}

function checkChoice(request: GenerateRequest): void {
  const { mode, allowedFunctionNames: allowed = [] } =
    request.toolConfig?.functionCallingConfig ?? {};
  const names = declarationsOf(request).map(({ name }) => name);
  const isForced = mode === "ANY" || mode === "VALIDATED";
  if (isForced && names.length === 0) {
    throw invalid("Function calling config is set without function_declarations.");
  }
  if (allowed.length === 0) return;
  if (!isForced) {
    throw invalid("allowed_function_names should only be set when the mode is ANY or VALIDATED.");
  }
  if (allowed.every((name) => names.includes(name))) return;
  throw invalid("allowed_function_names should be a subset of the provided function_declarations.");
}
