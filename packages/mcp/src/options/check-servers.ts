/** Checks the options of servers when they are given, not when a turn uses them. JavaScript has no other check. */
import { problemOfNumbers } from "@capstan/core";
import { McpError } from "../errors/mcp-error.ts";
import { problemOfOAuth } from "./check-oauth.ts";
import type { HttpServerOptions, McpServerOptions, StdioServerOptions } from "./server-options.ts";

type Names<Options> = Readonly<Record<keyof Options, true>>;

const common = {
  mode: true,
  timeoutMs: true,
  startTimeoutMs: true,
  trustAnnotations: true,
  tools: true,
} as const;

/** Every option. A new one that is missing here does not compile. */
const ofStdio: Names<StdioServerOptions> = {
  ...common,
  command: true,
  args: true,
  env: true,
  cwd: true,
};
const ofHttp: Names<HttpServerOptions> = {
  ...common,
  url: true,
  headers: true,
  auth: true,
  oauth: true,
};

/** Throws an `McpError` that names the server and the option. */
export function checkServers(servers: Readonly<Record<string, McpServerOptions>>): void {
  // Callers in JavaScript may pass anything.
  const given: unknown = servers;
  if (!isObject(given)) throw wrong("", "`servers` must be an object: { name: { command } }");
  for (const [name, options] of Object.entries(given)) checkServer(name, options);
}

function checkServer(name: string, options: unknown): void {
  if (name.trim() === "") throw wrong(name, "a server needs a name");
  if (!isObject(options)) throw wrong(name, "must be an object with a command or a url");
  const isHttp = "url" in options;
  if (isHttp === "command" in options) {
    throw wrong(name, "needs either a command or a url");
  }
  const known = isHttp ? ofHttp : ofStdio;
  const unknown = Object.keys(options).find((option) => !(option in known));
  if (unknown !== undefined) throw wrong(name, `has an unknown option "${unknown}"`);
  if (isHttp) checkHttp(name, options);
  else checkStdio(name, options);
  checkCommon(name, options);
}

function checkStdio(name: string, { command, args, env, cwd }: Fields): void {
  if (typeof command !== "string" || command === "") throw wrong(name, "command must be a text");
  if (args !== undefined && !(Array.isArray(args) && args.every(isText))) {
    throw wrong(name, "args must be a list of texts");
  }
  if (env !== undefined) checkTexts(name, "env", env);
  if (cwd !== undefined && !isText(cwd)) throw wrong(name, "cwd must be a text");
}

function checkHttp(name: string, { url, headers, auth, oauth }: Fields): void {
  const parsed = isText(url) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw wrong(name, `url must be an http or https URL, not ${JSON.stringify(url)}`);
  }
  if (headers !== undefined) checkTexts(name, "headers", headers);
  if (auth !== undefined && !(isObject(auth) && typeof auth["token"] === "function")) {
    throw wrong(name, "auth needs a function `token`");
  }
  if (oauth === undefined) return;
  if (auth !== undefined) throw wrong(name, "has auth and oauth; only one of them can be used");
  const problem = problemOfOAuth(oauth);
  if (problem !== undefined) throw wrong(name, problem);
}

function checkCommon(name: string, options: Fields): void {
  const { mode, tools } = options;
  const isPin = isObject(mode) && isText(mode["pin"]);
  if (mode !== undefined && mode !== "auto" && mode !== "legacy" && !isPin) {
    throw wrong(name, 'mode must be "auto", "legacy" or { pin: version }');
  }
  const limits = { timeoutMs: "above 0", startTimeoutMs: "above 0" } as const;
  const problem = problemOfNumbers(options, limits);
  if (problem !== undefined) throw wrong(name, problem);
  if (tools === undefined) return;
  if (!isObject(tools)) throw wrong(name, "tools must be an object: { name: { timeoutMs } }");
  for (const [tool, own] of Object.entries(tools)) {
    const wrongLimit = isObject(own)
      ? problemOfNumbers(own, { timeoutMs: "above 0" }, `tools.${tool}.`)
      : `tools.${tool} must be an object`;
    if (wrongLimit !== undefined) throw wrong(name, wrongLimit);
  }
}

function checkTexts(name: string, option: string, value: unknown): void {
  if (isObject(value) && Object.values(value).every(isText)) return;
  throw wrong(name, `${option} must be an object of texts`);
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function wrong(name: string, problem: string): McpError {
  const subject = name === "" ? "The options of mcpTools: " : `The MCP server "${name}": `;
  return new McpError("invalid_option", name, `${subject}${problem}`);
}
