/** MCP servers in settings: their shape, their names and the variables in them. */
import { z } from "zod";
import type { Env } from "./env.ts";
import { filePath, wholeNumber } from "./values.ts";

export interface McpServerSettings {
  /** Program of a server that runs as a process. Either this or `url` is present. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the project's folder. */
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How to log in at a server with a `url`. */
  readonly oauth?: McpOAuthSettings;
  /** Time limit of one call. */
  readonly timeoutMs?: number;
  /** True if the server's word counts on which calls may be repeated after a crash. */
  readonly trustAnnotations?: boolean;
  readonly disabled?: boolean;
  /** Which generation of the protocol is spoken. Default: `auto` over HTTP, `legacy` over stdio. */
  readonly mode?: "auto" | "legacy";
  /** File that the server is from. */
  readonly source?: string;
}

/** Client and scope of logins; see `McpOAuthOptions`. */
interface McpOAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  /** Port of the redirect on this machine. */
  readonly redirectPort?: number;
}

export type McpServers = Readonly<Record<string, McpServerSettings>>;

const nameAdvice =
  'is not a valid server name: use letters, digits, - and single _ (up to 40), and not "mcp"';

/** The name is the first part of the names of its tools, and rules must be able to tell where it ends. */
function isServerName(name: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,39}$/.test(name) && name !== "mcp";
}

const text = z
  .string({ error: "must be a string in double quotes" })
  .regex(/^[^\0]{0,8000}$/, { error: "must be a text of at most 8000 characters" });

const texts = z.record(z.string(), text, { error: "must be an object of names and strings" });

const filledText = text.min(1, { error: "must not be empty" });

const ofOAuth = {
  clientId: filledText.exactOptional(),
  clientSecret: filledText.exactOptional(),
  clientMetadataUrl: z
    .string()
    .refine((written) => /^https:$/.test(URL.parse(written)?.protocol ?? ""), {
      error: "must be an https URL",
    })
    .exactOptional(),
  scope: filledText.exactOptional(),
  redirectPort: wholeNumber(1, 65_535).exactOptional(),
};

const oauth: z.ZodType<McpOAuthSettings> = z
  .strictObject(ofOAuth, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? Object.keys(ofOAuth).join(" ") : "must be an object: { … }",
  })
  .refine(({ clientId, clientSecret }) => clientSecret === undefined || clientId !== undefined, {
    error: "has a clientSecret, which needs a clientId",
  });

const fields = {
  command: filledText.exactOptional(),
  args: z.array(text, { error: "must be a list: [ … ]" }).max(500).exactOptional(),
  env: texts.exactOptional(),
  cwd: filePath("a folder").exactOptional(),
  url: z
    .string({ error: "must be a URL in double quotes" })
    .refine(isWebAddress, { error: "must be an http or https URL" })
    .exactOptional(),
  headers: texts.exactOptional(),
  oauth: oauth.exactOptional(),
  timeoutMs: wholeNumber(1, 86_400_000).exactOptional(),
  trustAnnotations: z.boolean({ error: "must be true or false" }).exactOptional(),
  mode: z.enum(["auto", "legacy"], { error: "must be auto or legacy" }).exactOptional(),
  disabled: z.boolean({ error: "must be true or false" }).exactOptional(),
};

const ofStdio = ["args", "env", "cwd"] as const;
const ofHttp = ["headers", "oauth"] as const;

const server: z.ZodType<McpServerSettings> = z
  .strictObject(fields, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? Object.keys(fields).join(" ") : "must be an object: { … }",
  })
  .superRefine((given, context) => {
    const mistake = (message: string): void => context.addIssue({ code: "custom", message });
    if ((given.command === undefined) === (given.url === undefined)) {
      return mistake("needs either a command or a url");
    }
    const others = given.url === undefined ? ofHttp : ofStdio;
    const foreign = others.find((name) => given[name] !== undefined);
    if (foreign !== undefined) {
      mistake(`has ${foreign}, which only a server with a ${given.url ? "command" : "url"} has`);
    }
  });

export const mcpServers: z.ZodType<McpServers> = z.record(
  z.string().refine(isServerName, { error: nameAdvice }),
  server,
  { error: "must be an object, with a key for each server" },
);

/** The host of an address may be a variable. */
function isWebAddress(written: string): boolean {
  return written.startsWith("${") || /^https?:$/.test(URL.parse(written)?.protocol ?? "");
}

const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Returns the server with the values of `${NAME}` and `${NAME:-default}`, or the names of variables that are not set. */
export function withVariables(
  settings: McpServerSettings,
  env: Env,
): McpServerSettings | { readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const fill = (written: string): string =>
    written.replaceAll(variable, (_, name: string, otherwise: string | undefined) => {
      const value = env[name] || otherwise;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const fillAll = (given: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, fill(value)]));
  const { command, args, env: variables, url, headers, cwd, oauth: login } = settings;
  const filled: McpServerSettings = {
    ...settings,
    ...(command !== undefined && { command: fill(command) }),
    ...(args && { args: args.map(fill) }),
    ...(variables && { env: fillAll(variables) }),
    ...(cwd !== undefined && { cwd: fill(cwd) }),
    ...(url !== undefined && { url: fill(url) }),
    ...(headers && { headers: fillAll(headers) }),
    ...(login?.clientSecret !== undefined && {
      oauth: { ...login, clientSecret: fill(login.clientSecret) },
    }),
  };
  return missing.size === 0 ? filled : { missing: [...missing] };
}
