/** A page without a browser: the chat of the AI SDK itself, on the server's own address. */
import type { ChatInit, ChatState, UIMessage } from "ai";
import { AbstractChat, DefaultChatTransport } from "ai";
import type { World } from "../world.ts";
import { tokens } from "../world.ts";

class PlainState implements ChatState<UIMessage> {
  #status: ChatState<UIMessage>["status"] = "ready";
  onStatus: () => void = () => {};
  error: Error | undefined = undefined;
  messages: UIMessage[];

  constructor(messages: readonly UIMessage[]) {
    this.messages = [...messages];
  }

  get status(): ChatState<UIMessage>["status"] {
    return this.#status;
  }

  set status(status) {
    this.#status = status;
    this.onStatus();
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };

  snapshot = <T>(thing: T): T => structuredClone(thing);
}

export class Page extends AbstractChat<UIMessage> {
  /** Bodies of the requests that the page has sent. */
  readonly sent: unknown[];
  readonly #state: PlainState;

  constructor(init: ChatInit<UIMessage>, sent: unknown[], state: PlainState) {
    super({ ...init, state });
    this.sent = sent;
    this.#state = state;
  }

  /** Resolves when this many requests were sent, and the last one has ended. */
  async whenSent(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#state.onStatus = () => {
        const isAtRest = this.status === "ready" || this.status === "error";
        if (this.sent.length >= count && isAtRest) resolve();
      };
      this.#state.onStatus();
    });
  }

  /** Parts of the last message, without what is the same in all tests. */
  get lastParts(): readonly unknown[] {
    return this.lastMessage?.parts ?? [];
  }
}

export interface PageOptions extends Omit<ChatInit<UIMessage>, "transport"> {
  readonly token?: string;
  readonly protocol?: number;
}

/** Opens a page of a conversation. */
export function openPage(
  world: World,
  { token = tokens.ann, protocol = 7, ...init }: PageOptions = {},
): Page {
  const sent: unknown[] = [];
  const api = `${world.node.url}/api/chat`;
  const transport = new DefaultChatTransport({
    api: protocol === 7 ? api : `${api}?protocol=${protocol}`,
    headers: { authorization: `Bearer ${token}` },
    fetch: async (url, request) => {
      if (typeof request?.body === "string") sent.push(JSON.parse(request.body));
      return fetch(url, request);
    },
  });
  return new Page({ id: "chat1", ...init, transport }, sent, new PlainState(init.messages ?? []));
}

/** Body of a request as a page sends it. */
export function bodyOf(last: object, fields: object = {}): object {
  return { id: "chat1", trigger: "submit-message", messages: [last], ...fields };
}

export function userMessage(text: string, id = "m1"): UIMessage {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

export interface SentChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Chunks of a whole response. */
export async function chunksOf(response: Response): Promise<readonly SentChunk[]> {
  const text = await response.text();
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as SentChunk);
}

export function typesOf(chunks: readonly SentChunk[]): readonly string[] {
  return chunks.map(({ type }) => type);
}
