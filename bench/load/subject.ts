/** What is put under load: something that streams deltas to whoever asks. */

export interface LoadSubject {
  /** Each request gets a stream of its own. Gives the port. */
  serve(deltas: () => AsyncGenerator<string>): Promise<number>;
}

export const loadToken = "load-0123456789abcdef";

/** What a client sends; servers that need none of it pass over it. */
export const loadRequest = {
  path: "/api/agent/execute",
  method: "POST",
  headers: { authorization: `Bearer ${loadToken}`, "content-type": "application/json" },
  body: JSON.stringify({ input: "go" }),
} as const;
