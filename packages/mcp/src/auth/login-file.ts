/** Content of the file of logins, checked when it is read: people edit files, and disks break them. */
import type { StoredLogin } from "./token-store.ts";
import { loginKey } from "./token-store.ts";

export interface LoginFile {
  readonly version: 2;
  /** By issuer, resource and configured client. Version 1 had the address of the MCP server instead of the first two. */
  readonly logins: Readonly<Record<string, StoredLogin>>;
}

const texts = ["server", "issuer", "tokenEndpoint", "clientId", "resource", "accessToken"] as const;
const optionalTexts = [
  ...(["clientSecret", "authMethod", "refreshToken", "scope", "wantedScope"] as const),
  "metadataUrl" as const,
];
const optionalNumbers = ["expiresAt", "refreshAt"] as const;

/** Returns the logins by key, or what is wrong with the text. Tokens are not part of the message. */
export function parseLogins(text: string): ReadonlyMap<string, StoredLogin> | string {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    // The parser's message would quote the text, and tokens with it.
    return "it is not JSON. Repair or remove it";
  }
  if (!isObject(file) || !isObject(file["logins"])) return "it has no logins. Repair or remove it";
  const { version } = file;
  if (version !== 1 && version !== 2) return "it was written by another version of Capstan";
  const logins = new Map<string, StoredLogin>();
  for (const [key, login] of Object.entries(file["logins"])) {
    const problem = problemOf(login);
    if (problem !== undefined) return `the login "${key}" ${problem}. Repair or remove it`;
    // Checked above.
    const checked = login as StoredLogin;
    logins.set(version === 1 ? upcastKey(key, checked) : key, checked);
  }
  return logins;
}

/** Key of today for a login of version 1: a configured client came after the address. */
function upcastKey(key: string, { issuer, resource }: StoredLogin): string {
  const end = key.indexOf(" ");
  return loginKey(issuer, resource, end === -1 ? undefined : key.slice(end + 1));
}

function problemOf(login: unknown): string | undefined {
  if (!isObject(login)) return "is not an object";
  const wrong =
    texts.find((name) => typeof login[name] !== "string") ??
    optionalTexts.find((name) => !isOptional(login[name], "string")) ??
    optionalNumbers.find((name) => !isOptional(login[name], "number"));
  if (wrong !== undefined) return `has no valid "${wrong}"`;
  const address = ["issuer", "resource"].find((name) => !URL.canParse(String(login[name])));
  if (address !== undefined) return `has no valid "${address}"`;
  const { authMethods, registration } = login;
  if (registration !== undefined && !isRegistration(registration)) {
    return 'has no valid "registration"';
  }
  const isList =
    Array.isArray(authMethods) && authMethods.every((each) => typeof each === "string");
  return isList ? undefined : 'has no valid "authMethods"';
}

function isRegistration(value: unknown): boolean {
  if (!isObject(value) || !isOptional(value["scope"], "string")) return false;
  return typeof value["redirectUrl"] === "string" && URL.canParse(value["redirectUrl"]);
}

function isOptional(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
