/** The smallest vendor there is: a protocol of texts and a finish, and a real server that speaks it, or anything else. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonValue, ProviderPart, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { onTestFinished } from "vitest";
import type { Protocol } from "../../src/wire/protocol.ts";
import { createProvider } from "../../src/transport/create-provider.ts";
import { toProviderError } from "../../src/transport/http-errors.ts";
import type { ProviderOptions, Vendor } from "../../src/wire/vendor.ts";

/** `{"text": …}` says something, `{"finish": …}` ends, `{"error": …}` breaks off. */
function partsOf(said: JsonValue): ProviderPart[] {
  const { text: delta, finish } = said as { readonly text?: string; readonly finish?: string };
  if (delta !== undefined) return [{ type: "text_delta", delta }];
  return finish === undefined ? [] : [{ type: "finish", reason: finish }];
}

const protocol: Protocol = {
  id: "test-protocol",
  encode: ({ messages }) => ({
    path: "/reply?alt=sse",
    body: { count: messages.length },
    partAt: (path) => (path === "messages[0]" ? { messageId: "m1", part: 0 } : undefined),
  }),
  decoder(target) {
    let isFinished = false;
    return {
      take({ data, isBare }, parts) {
        const said = JSON.parse(data) as JsonValue;
        const failure = { body: said, text: data };
        if (isBare || data.includes('"error"')) throw toProviderError(failure, target);
        parts.push(...partsOf(said));
        isFinished ||= data.includes('"finish"');
      },
      end() {
        if (!isFinished) throw new ProviderError("network", "The stream ended too early");
      },
    };
  },
  decodeBody: (body) => (body as readonly JsonValue[]).flatMap(partsOf),
  toError: (failure, target) => toProviderError(failure, target),
};

export const vendor: Vendor = {
  id: "test",
  name: "Test Vendor",
  protocol,
  baseUrl: "http://127.0.0.1:9/v1",
  keyVariable: "CAPSTAN_TEST_KEY",
  headers: { "x-version": "1", "x-shared": "vendor" },
  quirks: {},
};

/** A server on a free port that ends with the test. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/v1`;
}

export function requestWith(changes: Partial<ProviderRequest> = {}): ProviderRequest {
  const { options, ...rest } = changes;
  return {
    messages: [{ role: "user", id: "m1", content: "Hello" }],
    tools: [],
    options: { model: "a-model", apiKey: "key-of-the-request", ...options },
    signal: new AbortController().signal,
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    attempt: 1,
    ...rest,
  };
}

export function streamFrom(
  baseUrl: string,
  changes: Partial<ProviderRequest> = {},
  options: ProviderOptions = {},
): AsyncIterator<ProviderPart> {
  const provider = createProvider(vendor, { baseUrl, ...options });
  return provider.stream(requestWith(changes))[Symbol.asyncIterator]();
}

/** The parts, and what was thrown behind them. */
export async function readAll(parts: AsyncIterator<ProviderPart>): Promise<{
  readonly said: string;
  readonly finish: string | undefined;
  readonly error: unknown;
}> {
  let said = "";
  let finish: string | undefined;
  try {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      if (next.value.type === "text_delta") said += next.value.delta;
      if (next.value.type === "finish") finish = next.value.reason;
    }
    return { said, finish, error: undefined };
  } catch (error) {
    return { said, finish, error };
  }
}

export async function failureOf(parts: AsyncIterator<ProviderPart>): Promise<ProviderError> {
  const { error } = await readAll(parts);
  if (error instanceof ProviderError) return error;
  throw new Error("It should have failed with a ProviderError", { cause: error });
}

export const eventStream = { "content-type": "text/event-stream" };

export function sse(...said: readonly JsonValue[]): string {
  return said.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
}

/** Answers with this body, whole. */
export function answering(
  body: string | Uint8Array,
  status = 200,
  headers: Readonly<Record<string, string>> = eventStream,
): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
}

/** Keeps what it was asked, and answers in order. */
export function recording(
  asked: { readonly request: IncomingMessage; readonly body: string }[],
  answer: (response: ServerResponse) => void,
): RequestListener {
  return (request, response) => {
    text(request).then(
      (body) => {
        asked.push({ request, body });
        answer(response);
      },
      () => {},
    );
  };
}
