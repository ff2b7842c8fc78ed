/** Versions 5, 6 and 7 of the AI SDK, side by side, as `npm ci --prefix test/web` brings them. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const versions = [5, 6, 7] as const;
export type Version = (typeof versions)[number];

/** What the tests use of a version; its own types differ from version to version. */
export interface Sdk {
  readonly version: Version;
  openChat(options: ChatChoices): PageChat;
  readonly isAnswered: Condition;
  /** Undefined in version 5, which has no approvals. */
  readonly isDecided: Condition | undefined;
}

type Condition = (chat: { readonly messages: readonly PageMessage[] }) => boolean;

export interface ChatChoices {
  readonly url: string;
  readonly token: string;
  readonly messages?: readonly PageMessage[];
  readonly sendAutomaticallyWhen?: Condition;
  onToolCall?(options: { readonly toolCall: ToolCall }): void;
}

interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
}

interface PageMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly PagePart[];
}

export interface PagePart {
  readonly type: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly approval?: { readonly id: string };
  readonly [field: string]: unknown;
}

/** The part of `Chat` that all versions have. */
export interface PageChat {
  readonly messages: readonly PageMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { readonly text: string; readonly messageId?: string }): Promise<void>;
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
  return {
    version,
    isAnswered: ai["lastAssistantMessageIsCompleteWithToolCalls"] as Condition,
    isDecided: ai["lastAssistantMessageIsCompleteWithApprovalResponses"] as Condition | undefined,
    openChat: ({ url, token, messages = [], ...init }) => {
      const api = `${url}/api/chat?protocol=${version}`;
      const headers = { authorization: `Bearer ${token}` };
      const transport = new Transport({
        api,
        headers,
        prepareReconnectToStreamRequest: ({ id }: { readonly id: string }) => ({
          api: `${url}/api/chat/${id}/stream?protocol=${version}`,
          headers,
        }),
      });
      return new ChatOf({ id: "chat1", ...init, messages, transport });
    },
  };
}
