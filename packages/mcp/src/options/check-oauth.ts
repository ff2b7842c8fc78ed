/** Checks the options of a login. */
import type { McpOAuthOptions } from "./server-options.ts";

/** Every option. A new one that is missing here does not compile. */
const known: Readonly<Record<keyof McpOAuthOptions, true>> = {
  clientId: true,
  clientSecret: true,
  clientMetadataUrl: true,
  scope: true,
  redirectPort: true,
};

/** Returns what is wrong with the option `oauth` of a server. */
export function problemOfOAuth(oauth: unknown): string | undefined {
  if (typeof oauth !== "object" || oauth === null) return "oauth must be an object";
  const { redirectPort, ...texts } = oauth as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(texts).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) return `oauth has an unknown option "${unknown}"`;
  const wrong = Object.entries(texts).find(
    ([, value]) => value !== undefined && (typeof value !== "string" || value === ""),
  );
  if (wrong !== undefined) return `oauth.${wrong[0]} must be a text`;
  if (redirectPort !== undefined && !isPort(redirectPort)) {
    return "oauth.redirectPort must be a port from 1 to 65535";
  }
  const { clientId, clientSecret, clientMetadataUrl: document } = texts;
  if (clientSecret !== undefined && clientId === undefined) {
    return "oauth.clientSecret needs oauth.clientId";
  }
  const url = typeof document === "string" ? URL.parse(document) : undefined;
  if (url === null || (url && (url.protocol !== "https:" || url.pathname === "/"))) {
    return "oauth.clientMetadataUrl must be the https address of a document";
  }
  return undefined;
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}
