/** Content of the file of logins, checked when it is read: people edit files, and disks break them. */
import type { StoredLogin } from "./token-store.ts";

export interface LoginFile {
  readonly version: 1;
  readonly logins: Readonly<Record<string, StoredLogin>>;
}

const texts = ["server", "issuer", "tokenEndpoint", "clientId", "resource", "accessToken"] as const;
const optionalTexts = [
  ...(["clientSecret", "authMethod", "refreshToken", "scope", "wantedScope"] as const),
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
  if (file["version"] !== 1) return "it was written by another version of Capstan";
  const logins = new Map<string, StoredLogin>();
  for (const [key, login] of Object.entries(file["logins"])) {
    const problem = problemOf(login);
    if (problem !== undefined) return `the login "${key}" ${problem}. Repair or remove it`;
    logins.set(key, login as StoredLogin);
  }
  return logins;
}

function problemOf(login: unknown): string | undefined {
  if (!isObject(login)) return "is not an object";
  const wrong =
    texts.find((name) => typeof login[name] !== "string") ??
    optionalTexts.find((name) => !isOptional(login[name], "string")) ??
    optionalNumbers.find((name) => !isOptional(login[name], "number"));
  if (wrong !== undefined) return `has no valid "${wrong}"`;
  const { authMethods } = login;
  const isList =
    Array.isArray(authMethods) && authMethods.every((each) => typeof each === "string");
  return isList ? undefined : 'has no valid "authMethods"';
}

function isOptional(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
