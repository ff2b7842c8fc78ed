/** Queries a server that may be anything, or missing: only JSON within the time and size limits counts. */
import type { JsonValue } from "@capstan/kernel";

const maxBytes = 1_000_000;

export interface ServerAnswers {
  /** Undefined for everything but JSON with a success status. Sends a POST if there is a body. */
  json(path: string, body?: JsonValue): Promise<JsonValue | undefined>;
  /** True if any HTTP server has answered. */
  hasAnswered(): boolean;
}

/** Follows no redirects: they would lead to a server the user has not named. */
export function askServer(root: string, signal: AbortSignal): ServerAnswers {
  let hasAnswered = false;
  const ask = async (path: string, body?: JsonValue): Promise<JsonValue | undefined> => {
    const response = await fetch(`${root}${path}`, {
      redirect: "manual",
      signal,
      ...(body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    hasAnswered = true;
    if (response.ok) return parse(await readText(response));
    await response.body?.cancel();
    return undefined;
  };
  return {
    // Every failure here means the same: this is not the expected server.
    json: (path, body) => ask(path, body).catch(() => undefined),
    hasAnswered: () => hasAnswered,
  };
}

/** Leaving the loop closes the connection. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) return "";
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

/** Throws if the text is not JSON. */
function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
