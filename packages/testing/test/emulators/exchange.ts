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

function parse(text: string): Answer["json"] {
  try {
    return JSON.parse(text) as Answer["json"];
  } catch {
    return {};
  }
}
