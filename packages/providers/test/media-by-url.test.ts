import type { ChatMessage, ModelFacts, UserPart } from "@capstan/kernel";
import { say, tinyImage } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiChatEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { describe, expect, test, vi } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { complete } from "../src/complete.ts";
import { google } from "../src/google.ts";
import { openai } from "../src/openai.ts";
import type { FetchMedia, VendorFunction } from "../src/vendors.ts";
import { vendors } from "../src/vendors.ts";
import { requestOf } from "./request-of.ts";
import { answering, serve } from "./transport/test-vendor.ts";

const picture: UserPart = {
  type: "image",
  mediaType: "image/png",
  url: "https://files.example/a.png?x=1",
};
const paper: UserPart = {
  type: "document",
  mediaType: "application/pdf",
  url: "https://files.example/b.pdf",
  name: "b.pdf",
};

const emulators = {
  openai: openAiResponsesEmulator,
  anthropic: anthropicEmulator,
  google: googleEmulator,
  groq: (script: Parameters<typeof openAiChatEmulator>[0]) =>
    openAiChatEmulator(script, { dialect: "openai", models: ["some-model"] }),
  ollama: (script: Parameters<typeof openAiChatEmulator>[0]) =>
    openAiChatEmulator(script, { dialect: "ollama", models: ["some-model"] }),
} as const;

async function ask(
  vendor: VendorFunction,
  model: string,
  { url: baseUrl }: Emulator,
  messages: readonly ChatMessage[],
  fetchMedia?: FetchMedia,
): Promise<void> {
  const { provider } = vendor(model, {
    baseUrl,
    apiKey: "key-of-a-test",
    ...(fetchMedia && { fetchMedia }),
  });
  await complete(provider, { messages, options: { model } });
}

function said(...content: readonly UserPart[]): readonly ChatMessage[] {
  return [{ role: "user", id: "u1", content }];
}

const cases: readonly [keyof typeof emulators, VendorFunction, string, unknown, unknown][] = [
  [
    "openai",
    openai,
    "gpt-5.5",
    { type: "input_image", detail: "auto", image_url: picture.url },
    { type: "input_file", file_url: paper.url },
  ],
  [
    "anthropic",
    anthropic,
    "claude-opus-5",
    { type: "image", source: { type: "url", url: picture.url } },
    { type: "document", source: { type: "url", url: paper.url }, title: "b.pdf" },
  ],
  [
    "google",
    google,
    "gemini-3-pro",
    { fileData: { mimeType: "image/png", fileUri: picture.url } },
    { fileData: { mimeType: "application/pdf", fileUri: paper.url } },
  ],
  [
    "groq",
    vendors["groq"]!,
    "some-model",
    { type: "image_url", image_url: { url: picture.url } },
    { type: "text", text: expect.stringContaining(paper.url) },
  ],
  [
    "ollama",
    vendors["ollama"]!,
    "some-model",
    { type: "text", text: expect.stringContaining(picture.url) },
    { type: "text", text: expect.stringContaining(paper.url) },
  ],
];

/** The parts of the last message of a request, whatever the protocol. */
function partsOf({ requests }: Emulator): readonly unknown[] {
  const { input, messages, contents } = requests.at(-1)!.body as Readonly<
    Record<
      string,
      readonly { readonly content?: readonly unknown[]; readonly parts?: readonly unknown[] }[]
    >
  >;
  const last = (input ?? messages ?? contents)?.at(-1);
  return last?.content ?? last?.parts ?? [];
}

describe.each(cases)("media by URL for %s", (name, vendor, model, image, document) => {
  test("goes to the vendor as a URL if it fetches, and as words that name it if not", async () => {
    await using emulator = await emulators[name]([say("I see.")]);

    await ask(vendor, model, emulator, said(picture, paper, { type: "text", text: "What?" }));

    expect(emulator.refusals).toEqual([]);
    expect(partsOf(emulator).slice(0, 2)).toMatchObject([image, document]);
  });

  test("is sent as data if the caller fetches it", async () => {
    const files = await serve(
      answering(Buffer.from(tinyImage.data, "base64"), 200, {
        "content-type": "image/png",
      }),
    );
    await using emulator = await emulators[name]([say("I see.")]);
    const fetched: UserPart = { type: "image", mediaType: "image/*", url: files };

    await ask(vendor, model, emulator, said(fetched, { type: "text", text: "What?" }), fetchBytes);

    expect(emulator.refusals).toEqual([]);
    expect(JSON.stringify(partsOf(emulator)[0])).toContain(tinyImage.data);
  });
});

const fetchBytes: FetchMedia = async (url, { signal }) => {
  const response = await fetch(url, { signal });
  const mediaType = response.headers.get("content-type") ?? "";
  return { data: new Uint8Array(await response.arrayBuffer()), mediaType };
};

describe("a fetcher", () => {
  test.each<[string, FetchMedia]>([
    ["fails", () => Promise.reject(new Error("no"))],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["gives nothing", () => Promise.resolve({ data: new Uint8Array() })],
    [
      "gives too much",
      (_, { maxBytes }) => Promise.resolve({ data: new Uint8Array(maxBytes + 1) }),
    ],
  ])("that %s leaves the model a note with the URL", async (_, fetchMedia) => {
    await using emulator = await openAiResponsesEmulator([say("I see.")]);

    await ask(openai, "gpt-5.5", emulator, said(picture), fetchMedia);

    expect(partsOf(emulator)).toMatchObject([
      { type: "input_text", text: expect.stringContaining(picture.url) },
    ]);
  });

  test("that does not end is left when the turn is stopped, and nothing is sent", async () => {
    const controller = new AbortController();
    const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(Response.json({})));
    const { provider } = openai("gpt-5.5", {
      apiKey: "key-of-a-test",
      fetch,
      fetchMedia: () => {
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
    });
    const request = requestOf({
      messages: said(picture),
      options: { model: "gpt-5.5" },
      signal: controller.signal,
    });

    const asked = Array.fromAsync(provider.stream(request));

    await expect(asked).rejects.toThrow("enough");
    expect(fetch).not.toHaveBeenCalled();
  });

  test("that returns no media type leaves a note if the type is unknown", async () => {
    await using emulator = await openAiResponsesEmulator([say("I see.")]);
    const data = Buffer.from(tinyImage.data, "base64");
    const any: UserPart = { ...picture, mediaType: "image/*" };

    await ask(openai, "gpt-5.5", emulator, said(any), () => Promise.resolve({ data }));

    expect(partsOf(emulator)).toMatchObject([
      { type: "input_text", text: expect.stringContaining(picture.url) },
    ]);
  });

  test("is asked once for a URL that stands in a request twice, and not without one", async () => {
    await using emulator = await openAiResponsesEmulator([say("One"), say("Two")]);
    const asked: string[] = [];
    const fetchMedia: FetchMedia = (url) => {
      asked.push(url);
      return Promise.resolve({ data: Buffer.from(tinyImage.data, "base64") });
    };

    await ask(openai, "gpt-5.5", emulator, said({ type: "text", text: "Hi" }), fetchMedia);
    await ask(openai, "gpt-5.5", emulator, said(picture, picture), fetchMedia);

    expect(asked).toEqual([picture.url]);
  });
});

test.each<[string, UserPart, ModelFacts]>([
  ["a model that sees none", picture, { input: ["text"] }],
  ["a model that reads none", paper, { input: ["text", "image"] }],
  ["a table", { ...paper, mediaType: "text/csv" }, {}],
])("%s: the URL is told in words", async (_, part, modelFacts) => {
  await using emulator = await openAiResponsesEmulator([say("I see.")]);
  const { provider } = openai("gpt-5.5", { baseUrl: emulator.url, apiKey: "key-of-a-test" });

  await complete(provider, { messages: said(part), options: { model: "gpt-5.5", modelFacts } });

  expect(partsOf(emulator)).toMatchObject([
    { type: "input_text", text: expect.stringContaining("https://files.example/") },
  ]);
});

test("http, and a type that is not known, are words for vendors that want https and a type", async () => {
  await using claude = await anthropicEmulator([say("I see.")]);
  await using gemini = await googleEmulator([say("I see."), say("I see.")]);
  const plain: UserPart = { ...picture, url: "http://files.example/a.png" };

  await ask(anthropic, "claude-opus-5", claude, said(plain));
  await ask(google, "gemini-3-pro", gemini, said(plain));
  const untold = partsOf(gemini);
  await ask(google, "gemini-3-pro", gemini, said({ ...picture, mediaType: "image/*" }));

  expect(partsOf(claude)).toMatchObject([{ type: "text" }]);
  expect(untold).toMatchObject([{ text: expect.stringContaining(plain.url) }]);
  expect(partsOf(gemini)).toMatchObject([{ text: expect.stringContaining(picture.url) }]);
});
