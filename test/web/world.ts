/** A server for the pages of one test, with a scripted model. */
import { createAgent, createHost } from "@capstan/core";
import type { AgentInit } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import type { ServerOptions } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import type { ScriptItem } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import { onTestFinished } from "vitest";
import type { ChatChoices, Kind, PageChat, PagePart, Sdk, Version, Way } from "./sdk.ts";
import { loadSdk, missing, versions } from "./sdk.ts";

export const token = "ann-0123456789abcdef";

export async function serve(
  script: readonly ScriptItem[],
  tools: readonly ToolContract[] = [],
  server: Partial<ServerOptions> = {},
  init: Partial<AgentInit> = {},
) {
  const provider = scriptedProvider([...script]);
  const retry = { maxAttempts: 2, baseDelayMs: 0 };
  const agent = createAgent({ model: provider, tools, retry, ...init });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const created = createServer({
    host,
    authenticate: bearerTokens({ ann: token }),
    limits: { requestsPerMinute: 1_000_000 },
    ...server,
  });
  const node = await serveNode(created, { drainMs: 200 });
  onTestFinished(() => node.close());
  return { provider, host, url: node.url };
}

export function partsOf(chat: PageChat): readonly PagePart[] {
  return chat.messages.at(-1)?.parts ?? [];
}

export function shown(chat: PageChat): readonly string[] {
  return partsOf(chat).map(({ type, state }) => (state === undefined ? type : `${type} ${state}`));
}

/** A kind of page: its version, its chat, and its way to the server. */
export interface PageKind {
  readonly version: Version;
  readonly kind: Kind;
  readonly way: Way;
}

export const pageKinds: readonly PageKind[] = versions.flatMap((version) =>
  (["Chat", "useChat"] as const).flatMap((kind) =>
    (["route", "transport"] as const).map((way) => ({ version, kind, way })),
  ),
);

/** Name of a suite over all kinds of pages, and why it is skipped if it is. */
export const suiteName = `version $version of the AI SDK, $kind, by $way${missing === undefined ? "" : ` (${missing})`}`;

export async function open(
  { version, kind, way }: PageKind,
  url: string,
  choices: (sdk: Sdk) => Partial<ChatChoices> = () => ({}),
): Promise<PageChat> {
  const sdk = loadSdk(version);
  return sdk.openChat({ kind, way, url, token, ...choices(sdk) });
}
