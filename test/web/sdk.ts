/** Versions 5, 6 and 7 of the AI SDK, side by side, as `npm ci --prefix test/web` brings them. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { connect } from "@capstan/client";
import type { ChatTransportOptions } from "@capstan/client/chat";
import { chatTransport } from "@capstan/client/chat";
import type { ToolContract } from "@capstan/kernel";
import { onTestFinished } from "vitest";
import { mountHook } from "./mount-hook.ts";

export const versions = [5, 6, 7] as const;
export type Version = (typeof versions)[number];

/** How a page has its chat: as an object, or as the hook in a component. */
export type Kind = "Chat" | "useChat";
/** How it reaches the server: by the SDK's own requests to `/api/chat`, or by a transport of `@capstan/client`. */
export type Way = "route" | "transport";

/** What the tests use of a version; its own types differ from version to version. */
export interface Sdk {
  readonly version: Version;
  openChat(options: ChatChoices): Promise<PageChat>;
  readonly isAnswered: Condition;
  /** Undefined in version 5, which has no approvals. */
  readonly isDecided: Condition | undefined;
}

type Condition = (chat: { readonly messages: readonly PageMessage[] }) => boolean;

export interface ChatChoices {
  readonly kind: Kind;
  readonly way: Way;
  readonly url: string;
  readonly token: string;
  readonly messages?: readonly PageMessage[];
  readonly sendAutomaticallyWhen?: Condition;
  onToolCall?(options: { readonly toolCall: ToolCall }): void;
  /** Choices of the transport. */
  readonly transport?: Partial<ChatTransportOptions>;
  /** Tools that the page lends by the transport's client. */
  readonly tools?: readonly ToolContract[];
  /** Whether the hook asks for a reply that is under way. */
  readonly resume?: boolean;
}

interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
}

export interface PageMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly PagePart[];
  readonly metadata?: unknown;
}

export interface PagePart {
  readonly type: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly approval?: { readonly id: string };
  readonly [field: string]: unknown;
}

/** The part of `Chat`, and of what the hook returns, that all versions have. */
export interface PageChat {
  readonly messages: readonly PageMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message?: { readonly text: string; readonly messageId?: string }): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolResult(output: {
    readonly tool: string;
    readonly toolCallId: string;
    readonly output: unknown;
  }): Promise<void>;
  addToolApprovalResponse(decision: {
    readonly id: string;
    readonly approved: boolean;
    readonly reason?: string;
  }): Promise<void>;
}

const folder = import.meta.dirname;

/** Undefined if the versions are installed. */
export const missing: string | undefined = existsSync(join(folder, "node_modules"))
  ? undefined
  : "the SDKs are not installed: run npm ci --prefix test/web";

type Exports = Readonly<Record<string, unknown>>;

/** Without Vite, which would take builds for browsers. */
function load(parent: string, name: string): readonly [Exports, string] {
  const require = createRequire(parent);
  return [require(name) as Exports, require.resolve(name)];
}

export function loadSdk(version: Version): Sdk {
  const [react, path] = load(join(folder, "sdk.ts"), `ai-react-${version}`);
  const [ai] = load(path, "ai");
  // The classes of the version.
  const ChatOf = react["Chat"] as new (init: object) => PageChat;
  const Transport = ai["DefaultChatTransport"] as new (init: object) => object;
  const useChat = react["useChat"] as (options: object) => PageChat;
  return {
    version,
    isAnswered: ai["lastAssistantMessageIsCompleteWithToolCalls"] as Condition,
    isDecided: ai["lastAssistantMessageIsCompleteWithApprovalResponses"] as Condition | undefined,
    openChat: async ({ kind, way, url, token, messages = [], transport, tools, ...init }) => {
      const chosen =
        way === "route"
          ? new Transport(routeOf(version, url, token))
          : transportOf(version, url, token, tools, transport);
      const options = { id: "chat1", ...init, messages, transport: chosen };
      return kind === "Chat" ? new ChatOf(options) : mountHook(useChat, options);
    },
  };
}

function routeOf(version: Version, url: string, token: string): object {
  const headers = { authorization: `Bearer ${token}` };
  return {
    api: `${url}/api/chat?protocol=${version}`,
    headers,
    prepareReconnectToStreamRequest: ({ id }: { readonly id: string }) => ({
      api: `${url}/api/chat/${id}/stream?protocol=${version}`,
      headers,
    }),
  };
}

function transportOf(
  protocol: Version,
  url: string,
  token: string,
  tools: readonly ToolContract[] | undefined,
  options: Partial<ChatTransportOptions> = {},
): object {
  const retry = { baseDelayMs: 2, maxDelayMs: 20, maxAttempts: 400 };
  const client = connect({ url, token, retry, tools });
  onTestFinished(() => client.close());
  return chatTransport({ client, protocol, pageTools: ["remote"], ...options });
}
