/** Tools that a vendor runs by itself, declared by vendor options, on services that refuse what the real ones refuse. */
import { createAgent, createSession } from "@capstan/core";
import type { Model } from "@capstan/core";
import type { JsonValue, ProviderOptionsByVendor } from "@capstan/kernel";
import { callTool, echoTool, native, reply, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import {
  anthropicEmulator,
  googleEmulator,
  openAiResponsesEmulator,
} from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { google } from "../src/google.ts";
import { openai } from "../src/openai.ts";

interface Service {
  start(script: readonly ScriptItem[]): Promise<Emulator>;
  model(url: string): Model;
  readonly options: ProviderOptionsByVendor;
  /** What it ran, and what of it has to be in the next request. */
  readonly ran: readonly ScriptItem[];
  readonly sentBack: readonly JsonValue[];
}

const apiKey = "any";
const searching = {
  id: "srvtoolu_1",
  caller: { type: "direct" },
  type: "server_tool_use",
  name: "web_search",
  input: { query: "x" },
};
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", title: "T", url: "http://x", encrypted_content: "e" }],
};
const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "x" },
};
const code = { executableCode: { language: "PYTHON", code: "print(1)" } };
const printed = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } };

const services: Readonly<Record<string, Service>> = {
  Messages: {
    start: (script) => anthropicEmulator(script),
    model: (baseUrl) => anthropic("claude-sonnet-4-5", { baseUrl, apiKey }),
    options: { anthropic: { tools: [{ type: "web_search_20250305", name: "web_search" }] } },
    ran: [
      callTool("web_search", { query: "x" }, { id: "srvtoolu_1", providerExecuted: true }),
      native(found),
    ],
    sentBack: [searching, found],
  },
  Responses: {
    start: (script) => openAiResponsesEmulator(script),
    model: (baseUrl) => openai("gpt-4.1", { baseUrl, apiKey }),
    options: { openai: { tools: [{ type: "web_search" }] } },
    ran: [native(search)],
    sentBack: [search],
  },
  generateContent: {
    start: (script) => googleEmulator(script),
    model: (url) => google("gemini-3.5-flash", { baseUrl: `${url}/v1beta`, apiKey }),
    options: { google: { tools: [{ codeExecution: {} }] } },
    ran: [native(code), native(printed)],
    sentBack: [code, printed],
  },
};

test.each(Object.entries(services))(
  "%s runs its own tools beside ours, and gets back what it ran",
  async (_, { start, model, options, ran, sentBack }) => {
    const echo = echoTool();
    await using service = await start([
      reply(...ran, say("Looked."), callTool("echo", { n: 1 })),
      say("Done."),
      say("Still."),
    ]);
    const agent = createAgent({
      model: model(service.url),
      tools: [echo],
      providerOptions: options,
    });
    const session = createSession({ agent });

    const first = await session.send("Look it up").response;
    const second = await session.send("And now?").response;

    expect(service.refusals).toEqual([]);
    expect([first.text, second.text]).toEqual(["Done.", "Still."]);
    expect(echo.started).toHaveLength(1);
    expect(JSON.stringify(service.requests[0]?.body["tools"])).toContain('"name":"echo"');
    const bodies = service.requests.map(({ body }) => JSON.stringify(body));
    const inBodies = sentBack.map((block) =>
      bodies.map((body) => body.includes(JSON.stringify(block))),
    );
    expect(inBodies).toEqual(sentBack.map(() => [false, true, true]));
  },
);

test.each(Object.entries(services).slice(0, 2))(
  "%s is told not to use its own tools, where no tool may be called",
  async (_, { start, model, options }) => {
    await using service = await start([say("Done.")]);
    const agent = createAgent({ model: model(service.url), providerOptions: options });

    await agent.runTurn({ input: "Just talk", toolChoice: "none" }).response;

    expect(service.refusals).toEqual([]);
    expect(JSON.stringify(service.requests[0]?.body["tool_choice"])).toContain("none");
  },
);
