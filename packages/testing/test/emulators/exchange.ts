import type { Emulator } from "@capstan/testing/emulators";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Posts by hand what no SDK would send. */
async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, { method: "POST", body: sent, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

export async function askClaude(
  emulator: Emulator,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${emulator.url}/v1/messages`, body, {
    "x-api-key": "key",
    "anthropic-version": "2023-06-01",
    ...headers,
  });
}

export async function askOpenAi(
  emulator: Emulator,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${emulator.url}/responses`, body, { authorization: "Bearer key", ...headers });
}

export async function askChat(
  emulator: Emulator,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return post(`${emulator.url}/chat/completions`, body, {
    authorization: "Bearer key",
    ...headers,
  });
}

/** Path after the model: `generateContent`, or the streaming method with its query. */
export async function askGoogle(
  emulator: Emulator,
  body: unknown,
  { model = "gemini-3.5-flash", method = "generateContent", headers = {} }: GoogleTarget = {},
): Promise<Answer> {
  const url = `${emulator.url}/v1beta/models/${model}:${method}`;
  return post(url, body, { "x-goog-api-key": "key", ...headers });
}

export interface GoogleTarget {
  readonly model?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function parse(text: string): Answer["json"] {
  try {
    return JSON.parse(text) as Answer["json"];
  } catch {
    // An answer that is not JSON has no fields.
    return {};
  }
}
