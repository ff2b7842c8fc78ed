/** Checks what a user answered against the form of the server. */
import { defineTool, withoutPatterns } from "@capstan/core";
import type { JsonSchema, JsonValue, ParsedInput } from "@capstan/kernel";
import type { McpElicitation, McpElicitationAnswer } from "./elicitation.ts";

export type CheckedAnswer =
  | { readonly answer: McpElicitationAnswer }
  /** Shown to the user, who is asked again. */
  | { readonly problem: string };

/** An accepted form must fit the schema of the server; its defaults fill what is missing. */
export async function checkAnswer(
  elicitation: McpElicitation,
  given: McpElicitationAnswer,
): Promise<CheckedAnswer> {
  if (given.action !== "accept") return { answer: { action: given.action } };
  if (elicitation.mode === "url") return { answer: { action: "accept" } };
  const { schema } = elicitation;
  const content = { ...defaultsOf(schema), ...given.content };
  const { issues } = await parseWith(schema, content);
  if (issues === undefined) return { answer: { action: "accept", content } };
  return { problem: issues.map(describe).join("; ") };
}

/** A schema that cannot be compiled is left to the server, which checks again in any case. */
async function parseWith(schema: JsonSchema, content: JsonValue): Promise<ParsedInput> {
  try {
    const input = withoutPatterns({ ...schema, type: "object" });
    const form = defineTool({ name: "form", description: "A form", input });
    return (await form.parseInput?.(content)) ?? { value: content };
  } catch {
    // The server validates the content itself: a schema that only it understands must not keep users from answering.
    return { value: content };
  }
}

function defaultsOf({ properties }: JsonSchema): Record<string, JsonValue> {
  const defaults: Record<string, JsonValue> = {};
  if (typeof properties !== "object" || properties === null) return defaults;
  for (const [name, property] of Object.entries(properties as Record<string, unknown>)) {
    const value = (property as { readonly default?: JsonValue } | null)?.default;
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}

function describe({ message, path = [] }: NonNullable<ParsedInput["issues"]>[number]): string {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return steps.length === 0 ? message : `${steps.join(".")}: ${message}`;
}
