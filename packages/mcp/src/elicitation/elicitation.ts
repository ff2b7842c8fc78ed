/** A question of an MCP server to the user: a form, or a page to visit. */
import type { JsonSchema, JsonValue } from "@capstan/kernel";
import { cleanSchema, cleanText, maxDescriptionChars } from "./clean-text.ts";

/** Shown to the user as the input of a pending call. */
export type McpElicitation = {
  readonly server: string;
  /** Name of the tool, as the server calls it; undefined if the server does not tell for which call it asks. */
  readonly tool?: string;
  /** Written by the server: untrusted. */
  readonly message: string;
  /** Why the last answer did not fit the form; missing if there was none. */
  readonly problem?: string;
} & (
  | { readonly mode: "form"; readonly schema: JsonSchema }
  /** The user opens the page in a browser, after a look at the whole address. */
  | { readonly mode: "url"; readonly url: string }
);

/** Answer to a question of an MCP server. */
export type McpElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, JsonValue>> }
  /** The user refuses. */
  | { readonly action: "decline" }
  /** The user closes the form without a decision. */
  | { readonly action: "cancel" };

type Fields = Readonly<Record<string, unknown>>;

const maxSchemaChars = 50_000;

/** Reads the parameters of a request that a server sent; a text if they cannot be shown. */
export function toElicitation(
  server: string,
  tool: string | undefined,
  params: unknown,
): McpElicitation | string {
  if (typeof params !== "object" || params === null) return "its question has no parameters";
  const { mode = "form", message, requestedSchema, url } = params as Fields;
  const about = {
    server,
    ...(tool !== undefined && { tool }),
    message: cleanText(typeof message === "string" ? message : "", maxDescriptionChars),
  };
  if (mode === "url") {
    const parsed = typeof url === "string" ? URL.parse(url) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
      return "it asks the user to open an address that is not one of the web";
    }
    return { ...about, mode, url: parsed.href };
  }
  if (mode !== "form") return `its question has the unknown mode ${JSON.stringify(mode)}`;
  if (typeof requestedSchema !== "object" || requestedSchema === null) {
    return "its form has no schema";
  }
  const schema = cleanSchema(requestedSchema as JsonSchema);
  const { length } = JSON.stringify(schema);
  return length > maxSchemaChars
    ? `its form has a schema of ${length} characters`
    : { ...about, mode, schema };
}
