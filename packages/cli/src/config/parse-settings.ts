/** From the text of a file to its settings, or to all that is wrong with it. */
import type { z } from "zod";
import { nearestWord } from "../command-line/nearest-word.ts";
import { ConfigError } from "../errors/config-error.ts";
import type { JsonText, Problem } from "./json-text.ts";
import { parseJsonText, toLineAndColumn } from "./json-text.ts";
import type { FileSettings } from "./schema.ts";
import { fileSchema } from "./schema.ts";

export interface ParsedSettings {
  readonly settings: FileSettings;
  /** For what shows only when all layers are known: an error about the value at this path. */
  errorAt(keys: readonly string[], message: string): ConfigError;
}

const maxProblems = 10;

/** `path` is what messages name. Throws a `ConfigError` with a line for each problem. */
export function parseSettings(path: string, text: string): ParsedSettings {
  const fail = (problems: readonly Problem[]): ConfigError => toError(path, text, problems);
  const json = parseJsonText(text);
  if ("problems" in json) throw fail(json.problems);
  const parsed = fileSchema.safeParse(json.value);
  if (!parsed.success) throw fail(parsed.error.issues.flatMap((issue) => toProblems(issue, json)));
  return {
    settings: parsed.data,
    errorAt: (keys, message) =>
      fail([{ offset: json.offsetOf(keys), message: `${keys.join(".")} ${message}` }]),
  };
}

function toError(path: string, text: string, problems: readonly Problem[]): ConfigError {
  const lines = problems
    .toSorted((a, b) => a.offset - b.offset)
    .slice(0, maxProblems)
    .map(({ offset, message }) => {
      const { line, column } = toLineAndColumn(text, offset);
      return `${path}:${line}:${column}: ${message}`;
    });
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`${path}: and ${more} more`);
  return new ConfigError("invalid_config", lines.join("\n"));
}

function toProblems(issue: z.core.$ZodIssue, json: JsonText): readonly Problem[] {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      offset: json.offsetOf(path, key),
      message: unknownKey(key, path, message.split(" ")),
    }));
  }
  const own = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  const shown = shownValue(json.value, path);
  return [{ offset: json.offsetOf(path), message: `${nameOf(path)} ${own ?? message}${shown}` }];
}

function unknownKey(key: string, path: readonly PropertyKey[], known: readonly string[]): string {
  const place = path.length === 0 ? "" : ` in ${nameOf(path)}`;
  const nearest = nearestWord(key, known);
  const hint =
    nearest === undefined ? `known are ${known.join(", ")}` : `did you mean "${nearest}"?`;
  return `there is no key ${JSON.stringify(key)}${place}: ${hint}`;
}

/** `permissions.allow[0]`. A key may hold anything, and a message is one line: what is no word is quoted. */
function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the file";
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      const key = /^[^\p{Cc}\s"]+$/u.test(String(part)) ? String(part) : JSON.stringify(part);
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

/** Headers may hold keys, which are not for messages; of a rule the message has the text already. */
function shownValue(value: unknown, path: readonly PropertyKey[]): string {
  if (path.includes("headers") || path[0] === "permissions") return "";
  const found = path.reduce<unknown>(
    (inner, key) =>
      // Any object may be asked for any key.
      typeof inner === "object" && inner !== null
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
  if (found === undefined || typeof found === "object") return "";
  const text = JSON.stringify(found);
  return `, and is ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
