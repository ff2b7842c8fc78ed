import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import type {
  AgentErrorCode,
  DependencyErrorCode,
  SessionErrorCode,
  ToolErrorCode,
} from "@capstan/core";
import {
  AgentError,
  CapstanError,
  DependencyError,
  SessionError,
  ToolError,
  isCapstanError,
} from "@capstan/core";
import type { ClientErrorCode } from "@capstan/client";
import { ClientError } from "@capstan/client";
import type { ProviderErrorCode, ToolCallErrorCode, TurnErrorCode } from "@capstan/kernel";
import { ProviderError, ToolCallError, TurnError, serializeError } from "@capstan/kernel";
import type { LogErrorCode, RepositoryErrorCode } from "@capstan/log";
import { LogError, RepositoryError } from "@capstan/log";
import type { McpErrorCode } from "@capstan/mcp";
import { McpError } from "@capstan/mcp";
import type { ServerErrorCode } from "@capstan/server";
import { ServerError } from "@capstan/server";
import { expect, test } from "vitest";
// No public name: tools answer with its message and its code, and throw it at nobody.
import type { FileErrorCode } from "../../toolset/src/files/file-error.ts";
import { FileError } from "../../toolset/src/files/file-error.ts";
// No public names either: the command prints them.
import type { ConfigErrorCode } from "../../cli/src/errors/config-error.ts";
import { ConfigError } from "../../cli/src/errors/config-error.ts";
import type { ModelErrorCode } from "../../cli/src/errors/model-error.ts";
import { ModelError } from "../../cli/src/errors/model-error.ts";
import type { CommandErrorCode } from "../../cli/src/errors/command-error.ts";
import { CommandError } from "../../cli/src/errors/command-error.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const cause = new Error("what had failed first");

const family: readonly CapstanError[] = [
  new ProviderError("network", "cut", { cause, status: 502 }),
  new TurnError("callback_failed", "stopWhen failed", { cause }),
  new ToolCallError("cannot_wait_here", "it must not run twice", { cause }),
  new RepositoryError("unavailable", "s-1", "disk full", { cause }),
  new LogError("corrupt_entry", { seq: 3, id: "e-3" }, "not an entry", { cause }),
  new SessionError("unavailable", "disk full", { cause, sessionId: "s-1" }),
  new AgentError("no_answer", "no answer", { cause }),
  new ToolError("invalid_schema", "search", "its schema is a list", { cause }),
  new DependencyError("cycle", "db", "db → db", { cause }),
  new ServerError("not_found", "nothing there", { cause }),
  new McpError("unavailable", "files", "it does not start", { cause }),
  new ClientError("unreachable", "nobody there", { cause }),
  new FileError("missing", "There is no a.txt.", { cause }),
  new ConfigError("invalid_config", "f.json:1:2: odd", { cause }),
  new ModelError("unknown_model", "nobody knows it", { cause }),
  new CommandError("wrong_use", "odd", { cause }),
];

/** By class. A code that is missing here, or too many, is a compile error; one missing in the document fails the test below. */
const codes: Readonly<Record<string, readonly string[]>> = {
  ProviderError: listOf<ProviderErrorCode>({
    auth: true,
    rate_limit: true,
    overloaded: true,
    context_overflow: true,
    invalid_request: true,
    content_filter: true,
    network: true,
    protocol: true,
  }),
  TurnError: listOf<TurnErrorCode>({
    invalid_input: true,
    callback_failed: true,
    journal_failed: true,
    invalid_output: true,
    input_rejected: true,
    output_rejected: true,
    cannot_continue: true,
    already_read: true,
  }),
  ToolCallError: listOf<ToolCallErrorCode>({
    cannot_wait_here: true,
    suspended: true,
    call_over: true,
    too_many_calls: true,
    must_be_sequential: true,
    no_turn: true,
  }),
  RepositoryError: listOf<RepositoryErrorCode>({
    not_found: true,
    exists: true,
    fenced: true,
    invalid_entry: true,
    unavailable: true,
  }),
  LogError: listOf<LogErrorCode>({ corrupt_entry: true }),
  SessionError: listOf<SessionErrorCode>({
    not_pending: true,
    already_answered: true,
    already_claimed: true,
    hash_mismatch: true,
    wrong_kind: true,
    turn_unfinished: true,
    calls_pending: true,
    not_shown: true,
    not_sent: true,
    abandoned: true,
    turn_over: true,
    cannot_continue: true,
    unknown_agent: true,
    no_answer: true,
    invalid_input: true,
    id_conflict: true,
    compaction_failed: true,
    not_found: true,
    exists: true,
    unavailable: true,
    engine_failed: true,
    resume_limit: true,
    set_aside: true,
    host_closed: true,
  }),
  ServerError: listOf<ServerErrorCode>({
    invalid_request: true,
    unauthenticated: true,
    forbidden_host: true,
    forbidden_origin: true,
    not_found: true,
    session_replaced: true,
    child_session: true,
    cursor_ahead: true,
    cursor_expired: true,
    budget_exceeded: true,
    aborted: true,
    method_not_allowed: true,
    body_too_large: true,
    unsupported_media_type: true,
    body_consumed: true,
    rate_limited: true,
    too_many_sessions: true,
    too_many_streams: true,
    too_many_bytes: true,
    storage_full: true,
    busy: true,
    closing: true,
    invalid_options: true,
  }),
  // Refusals of a server have the codes above.
  ClientError: listOf<ClientErrorCode>({
    invalid_options: true,
    unreachable: true,
    protocol: true,
    closed: true,
    aborted: true,
    not_shown: true,
  }),
  AgentError: listOf<AgentErrorCode>({
    unknown_model: true,
    invalid_option: true,
    invalid_app_context: true,
    unknown_window: true,
    invalid_compaction: true,
    no_summary: true,
    no_answer: true,
  }),
  McpError: listOf<McpErrorCode>({
    invalid_option: true,
    unavailable: true,
    connection_lost: true,
    list_failed: true,
    invalid_tool: true,
    login_required: true,
    insufficient_scope: true,
    login_failed: true,
    token_store: true,
  }),
  ToolError: listOf<ToolErrorCode>({ invalid_definition: true, invalid_schema: true }),
  DependencyError: listOf<DependencyErrorCode>({
    cycle: true,
    outlived: true,
    disposed: true,
    unbound: true,
  }),
  FileError: listOf<FileErrorCode>({
    outside: true,
    missing: true,
    wrong_kind: true,
    no_permission: true,
    binary: true,
    past_end: true,
    too_large: true,
    no_match: true,
    changed: true,
    not_read: true,
    invalid_pattern: true,
    unreadable: true,
  }),
  ConfigError: listOf<ConfigErrorCode>({
    invalid_config: true,
    unreadable_config: true,
    invalid_variable: true,
    invalid_flag: true,
    invalid_rule: true,
  }),
  ModelError: listOf<ModelErrorCode>({
    unknown_model: true,
    missing_key: true,
    missing_base_url: true,
    incomplete_vendor: true,
    absent_server: true,
    unknown_window: true,
  }),
  CommandError: listOf<CommandErrorCode>({ wrong_use: true, failed: true }),
};

function listOf<Code extends string>(all: Record<Code, true>): readonly string[] {
  return Object.keys(all);
}

test.each(family.map((error) => [error.constructor.name, error] as const))(
  "%s is a CapstanError: it has its name, a code and its cause, and is written down with them",
  (name, error) => {
    const { message, code } = error;

    expect(error).toBeInstanceOf(CapstanError);
    expect(isCapstanError(error)).toBe(true);
    expect(serializeError(error)).toStrictEqual({ name, message, code });
    expect(codes[name]).toContain(code);
    expect(error.cause).toBe(cause);
  },
);

test("an error without a cause has no such field", () => {
  expect("cause" in new TurnError("invalid_input", "odd", { cause: undefined })).toBe(false);
});

test("an error of another copy of the package, in another realm, is known by its brand", () => {
  const path = join(root, "packages", "kernel", "src", "errors", "capstan-error.ts");
  const source = stripTypeScriptTypes(readFileSync(path, "utf8")).replaceAll("export ", "");

  const foreign: unknown = runInNewContext(`${source}; new CapstanError("odd", "far away")`);

  expect(foreign).not.toBeInstanceOf(CapstanError);
  expect(isCapstanError(foreign)).toBe(true);
  expect(serializeError(foreign)).toStrictEqual({
    name: "CapstanError",
    message: "far away",
    code: "odd",
  });
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["a text", "capstan.error"],
  ["an error with a code", Object.assign(new Error("no such file"), { code: "ENOENT" })],
  ["the shape alone", { name: "TurnError", message: "odd", code: "invalid_input" }],
])("%s is no CapstanError", (_, value) => {
  expect(isCapstanError(value)).toBe(false);
});

test("every error class of the packages is one of the family, except nine that reach no caller", () => {
  const classes = globSync(
    "packages/{kernel,log,core,providers,server,client,toolset,mcp,cli,testing}/src/**/*.ts",
    {
      cwd: root,
    },
  )
    .map((path) => readFileSync(join(root, path), "utf8"))
    .flatMap((text) => [...text.matchAll(/class (\w+) extends (CapstanError|Error)\b/g)])
    .map(([, name = "", base]) => ({ name, base }));

  const members = classes.filter(({ base }) => base === "CapstanError").map(({ name }) => name);
  const others = classes.filter(({ base }) => base === "Error").map(({ name }) => name);
  expect(members.toSorted()).toEqual(Object.keys(codes).toSorted());
  expect(members.toSorted()).toEqual(family.map(({ name }) => name).toSorted());
  expect(others.toSorted()).toEqual([
    "AbortedCallback",
    "ChatRequestFault",
    "GuardedEnd",
    "Killed",
    "Refusal",
    "SchemaProblem",
    "ServingError",
    "Unread",
    "WireFault",
  ]);
});

test("docs/errors.md says of every code when it comes and what to do, and lists no other", () => {
  const page = readFileSync(join(root, "docs", "errors.md"), "utf8");

  const rows = page.matchAll(/^\| (\w+) \| `(\w+)` \| .+ \| .+ \|$/gm);

  const listed = Array.from(rows, ([, name, code]) => `${name} ${code}`);
  const known = Object.entries(codes).flatMap(([name, all]) =>
    all.map((code) => `${name} ${code}`),
  );
  expect(listed.toSorted()).toEqual(known.toSorted());
});
