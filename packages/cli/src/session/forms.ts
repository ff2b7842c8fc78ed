/** Questions of MCP servers: forms whose fields are asked one after the other, and pages to visit. */
import type { JsonValue, PendingCall } from "@capstan/kernel";

export interface FormField {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean";
  readonly label: string;
  readonly isRequired: boolean;
  readonly choices?: readonly string[];
  readonly default?: JsonValue;
}

export interface ServerQuestion {
  readonly server: string;
  readonly message: string;
  /** Why an earlier answer did not fit. */
  readonly problem?: string;
  /** Page to visit instead of a form. */
  readonly url?: string;
  readonly fields: readonly FormField[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the call waits for something else. */
export function serverQuestionOf({ kind, input }: PendingCall): ServerQuestion | undefined {
  return kind === "execution" ? toServerQuestion(input) : undefined;
}

/** Undefined if it is not a question of a server. */
export function toServerQuestion(input: unknown): ServerQuestion | undefined {
  const { server, message, mode, schema, url, problem } = fieldsOf(input);
  if (typeof server !== "string" || typeof message !== "string") return undefined;
  const about = { server, message, ...(typeof problem === "string" && { problem }) };
  if (mode === "url" && typeof url === "string") return { ...about, url, fields: [] };
  if (mode !== "form") return undefined;
  const { properties, required } = fieldsOf(schema);
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(fieldsOf(properties)).map(([name, written]) =>
    toField(name, fieldsOf(written), needed.includes(name)),
  );
  return { ...about, fields };
}

const types = ["string", "number", "integer", "boolean"] as const;

function toField(name: string, written: Fields, isRequired: boolean): FormField {
  const { title, description } = written;
  const label = [title ?? name, description].filter((part) => typeof part === "string").join(": ");
  const choices = choicesOf(written);
  return {
    name,
    type: types.find((type) => type === written["type"]) ?? "string",
    label,
    isRequired,
    ...(choices && { choices }),
    // JSON, as the server sent it.
    ...("default" in written && { default: written["default"] as JsonValue }),
  };
}

function choicesOf(written: Fields): readonly string[] | undefined {
  const { enum: listed, oneOf } = written;
  const found: readonly unknown[] = Array.isArray(listed)
    ? listed
    : Array.isArray(oneOf)
      ? oneOf.map((one) => fieldsOf(one)["const"])
      : [];
  return found.length === 0 ? undefined : found.map(String);
}

/** Reads what a user wrote for a field. An empty text is the default, or nothing. */
export function readField(
  { type, isRequired, choices, default: otherwise }: FormField,
  text: string,
): { readonly value: JsonValue | undefined } | { readonly problem: string } {
  const written = text.trim();
  if (written === "" && otherwise !== undefined) return { value: otherwise };
  if (written === "") {
    return isRequired ? { problem: "An answer is required." } : { value: undefined };
  }
  if (choices !== undefined) {
    const chosen = choices.find((one) => one === written) ?? choices[Number(written) - 1];
    return chosen === undefined
      ? { problem: `Choose one of ${choices.join(", ")}.` }
      : { value: chosen };
  }
  if (type === "boolean") {
    if (/^(y|yes|true)$/i.test(written)) return { value: true };
    return /^(n|no|false)$/i.test(written) ? { value: false } : { problem: "Answer yes or no." };
  }
  if (type === "string") return { value: written };
  const value = Number(written);
  const isFit = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isFit ? { value } : { problem: `Write a ${type === "integer" ? "whole " : ""}number.` };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? // Any object can be asked for any key.
      (value as Fields)
    : {};
}
