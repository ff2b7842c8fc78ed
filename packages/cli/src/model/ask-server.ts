/** Asks a server that may be anything, or nothing: what comes is JSON in time and in measure, or it does not count. */
import type { JsonValue } from "@capstan/kernel";

const maxBytes = 1_000_000;

export interface ServerAnswers {
  /** Undefined for everything but JSON with a status of success. A body makes it a POST. */
  json(path: string, body?: JsonValue): Promise<JsonValue | undefined>;
  /** Whether anything that speaks HTTP is there. */
  hasAnswered(): boolean;
}

/** No redirect is followed: it would lead to a server that nobody has named. */
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
    // Whatever fails here says the same: this is not the server that was looked for.
    json: (path, body) => ask(path, body).catch(() => undefined),
    hasAnswered: () => hasAnswered,
  };
}

/** Leaving the loop ends the connection. */
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

/** Throws for what is not JSON. */
function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
