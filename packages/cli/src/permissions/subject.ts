/** Parts of a call that rules look at. */
import type { JsonValue } from "@capstan/kernel";
import { namedServer } from "./mcp-rule.ts";
import { knownTools } from "./known-tools.ts";
import type { Places } from "./path-pattern.ts";
import { placesOf } from "./path-pattern.ts";

export interface CallToDecide {
  readonly toolName: string;
  /** As the model sent it, after validation by the tool's schema. */
  readonly input: JsonValue;
}

export interface Subject {
  readonly toolName: string;
  /** MCP server that a call about resources or prompts names; `*` if it is about all of them. */
  readonly server?: string | undefined;
  /** Command of bash. */
  readonly script?: string;
  /** For bash, the folder in which the command starts. */
  readonly places?: Places | undefined;
}

export function toSubject({ toolName, input }: CallToDecide, cwd: string): Subject {
  const about = Object.hasOwn(knownTools, toolName) ? knownTools[toolName]?.pattern : undefined;
  if (about === undefined) return { toolName, server: namedServer(toolName, input) };
  const { command, path = "." } = fieldsOf(input);
  const places = placesOf(path, cwd);
  if (about === "path") return { toolName, places };
  return typeof command === "string" ? { toolName, script: command, places } : { toolName };
}

function fieldsOf(input: JsonValue): Readonly<Record<string, JsonValue | undefined>> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? // Anything that is not an array is an object here, but `isArray` does not narrow readonly arrays.
      (input as Readonly<Record<string, JsonValue>>)
    : {};
}
