/** Parses the text of a file into settings, or collects everything that is wrong with it. */
import type { z } from "zod";
import { nearestWord } from "../command-line/nearest-word.ts";
import { ConfigError } from "../errors/config-error.ts";
import type { JsonText, Problem } from "./json-text.ts";
import { parseJsonText, toLineAndColumn } from "./json-text.ts";
import type { FileSettings } from "./schema.ts";
import { fileSchema } from "./schema.ts";

export interface ParsedSettings {
  readonly settings: FileSettings;
  /** Creates an error about the value at this path, for problems that show only when all layers are known. */
  errorAt(keys: readonly string[], message: string): ConfigError;
}

const maxProblems = 10;

/** `path` appears in messages. Throws a `ConfigError` with one line per problem. */
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
  const parent = path.length === 0 ? "" : ` in ${nameOf(path)}`;
  const nearest = nearestWord(key, known);
  const hint =
    nearest === undefined ? `use one of ${known.join(", ")}` : `did you mean "${nearest}"?`;
  return `unknown key ${JSON.stringify(key)}${parent}: ${hint}`;
}

/** Formats a path such as `permissions.allow[0]`. A message is one line, but a key may contain anything: unusual keys are quoted. */
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

/** Headers and variables may contain secrets, which messages must not show; a rule's text is in its message already. */
function shownValue(value: unknown, path: readonly PropertyKey[]): string {
  if (path.includes("headers") || path.includes("env") || path[0] === "permissions") return "";
  const found = path.reduce<unknown>(
    (inner, key) =>
      // Any object can be asked for any key.
      typeof inner === "object" && inner !== null
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
  if (found === undefined || typeof found === "object") return "";
  const text = JSON.stringify(found);
  return `, not ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
