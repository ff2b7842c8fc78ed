/** Transport for `useChat`: what a page sends becomes sends, answers and rewinds of a session, and its events become chunks. */
import type { PendingCall, ToolCallPart } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ChatAction, ChatProtocol, Chunk } from "@capstan/log/chat";
import {
  ChatRequestFault,
  ChunkEncoder,
  findMessage,
  nextRevision,
  nothingAdded,
  readChatRequest,
  replyIdOf,
  turnIdOfMessage,
  wantedAnswers,
} from "@capstan/log/chat";
import { ClientError } from "../errors/client-error.ts";
import type { Client } from "../session/client.ts";
import type { ClientSession } from "../session/client-session.ts";
import { execute } from "../tree/execute.ts";
import { TreeEvents } from "../tree/tree-events.ts";
import type { ChunkSource } from "./chunk-stream.ts";
import { ChildParts } from "./child-parts.ts";
import { chunksOf, fromLastInput, toStream } from "./chunk-stream.ts";

/** Options of `chatTransport`. */
export interface ChatTransportOptions {
  /** Its sessions are the page's conversations: the id of a chat is the key of its session. */
  readonly client: Client;
  /** Agent of new conversations. Default: the server's first. */
  readonly agent?: string;
  /** Major version of the AI SDK on the page. Default 7. */
  readonly protocol?: ChatProtocol;
  /** Names of the agent's tools that the page runs by `onToolCall`. Tools that the client lends run by themselves, and need not be named. */
  readonly pageTools?: readonly string[];
  /**
   * Effect of `stop()`, which the hook also calls when a component that made its own chat is unmounted. Default `stop`: the turn ends, wherever
   * it runs. With `leave` it continues.
   */
  readonly onAbort?: "stop" | "leave";
}

/** Arguments of `sendMessages`, as all versions of the AI SDK pass them. */
export interface ChatSend {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly chatId: string;
  readonly messageId: string | undefined;
  readonly messages: readonly object[];
  readonly abortSignal: AbortSignal | undefined;
}

/** Arguments with which `useChat` asks for the stream of a turn that is under way. */
export interface ChatResume {
  readonly chatId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A `ChatTransport` of the AI SDK. */
export interface SessionTransport {
  sendMessages(options: ChatSend): Promise<ReadableStream<Chunk>>;
  /** Null if nothing is under way. */
  reconnectToStream(options: ChatResume): Promise<ReadableStream<Chunk> | null>;
  /** Session of a chat, to steer it, to queue messages and to read its state. */
  session(chatId: string): ClientSession;
}

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { readonly type: Type }>;
type Content = ActionOf<"send">["content"];

/** Creates the transport. A lost connection is resumed without the page noticing. */
export function chatTransport(options: ChatTransportOptions): SessionTransport {
  const transport = new Conversations(options);
  return {
    sendMessages: (request) => transport.send(request),
    reconnectToStream: (request) => transport.resume(request),
    session: (chatId) => transport.session(chatId),
  };
}

class Conversations {
  readonly #options: ChatTransportOptions;
  readonly #sessions = new Map<string, ClientSession>();

  constructor(options: ChatTransportOptions) {
    this.#options = options;
  }

  session(chatId: string): ClientSession {
    return this.#sessions.get(chatId) ?? this.#open(chatId);
  }

  async send(request: ChatSend): Promise<ReadableStream<Chunk>> {
    const { chatId, trigger, messageId, messages, abortSignal } = request;
    const session = this.session(chatId);
    const action = actionOf({
      id: chatId,
      trigger,
      messages,
      ...(messageId !== undefined && { messageId }),
    });
    await session.refresh();
    return toStream(await this.#act(session, action, messageId), abortSignal, this.#onAbort);
  }

  /** With a new handle of the session: its turn is read from the beginning. */
  async resume({ chatId, abortSignal }: ChatResume): Promise<ReadableStream<Chunk> | null> {
    const session = this.#open(chatId);
    const turn = await session.current();
    if (turn === undefined) return null;
    const { input, events } = await fromLastInput(turn, session.lastTurnId ?? turn.id);
    const tree = new TreeEvents(session);
    await tree.begin();
    tree.follow(events);
    const chunks = this.#chunks(session, replyIdOf(input), tree);
    return toStream({ chunks, turn }, abortSignal, this.#onAbort);
  }

  #open(chatId: string): ClientSession {
    const { client, agent } = this.#options;
    const session = client.session(chatId, agent === undefined ? {} : { agent });
    this.#sessions.set(chatId, session);
    return session;
  }

  get #onAbort(): "stop" | "leave" {
    return this.#options.onAbort ?? "stop";
  }

  /** `known` are calls that the page has, and `pending` those that it was asked about. */
  #chunks(
    session: ClientSession,
    messageId: string,
    events: AsyncIterable<SessionEvent>,
    known: readonly ToolCallPart[] = [],
    pending: readonly PendingCall[] = [],
  ): AsyncGenerator<Chunk> {
    const { protocol = 7, pageTools = [] } = this.#options;
    const isClientTool = (name: string): boolean => pageTools.includes(name);
    const encoder = new ChunkEncoder({ protocol, messageId, isClientTool, now: Date.now });
    for (const call of known) encoder.know(call);
    for (const call of pending) encoder.knowPending(call);
    return chunksOf(messageId, events, encoder, new ChildParts(session));
  }

  async #act(
    session: ClientSession,
    action: ChatAction,
    messageId: string | undefined,
  ): Promise<ChunkSource> {
    switch (action.type) {
      case "send":
        return this.#send(session, action, messageId);
      case "regenerate":
        return this.#regenerate(session, action);
      case "answer":
        return this.#answer(session, action);
      default:
        return action satisfies never;
    }
  }

  async #send(
    session: ClientSession,
    { messageId, content }: ActionOf<"send">,
    replaced: string | undefined,
  ): Promise<ChunkSource> {
    const { messages, status } = session.state;
    const known = findMessage(messages, messageId);
    const id = turnIdOfMessage(messageId);
    if (known === undefined && status === "running") {
      // The stream of the running turn shows the message, so this one adds nothing.
      await session.steer(content, { id });
      return nothingFor(replyIdOf(id));
    }
    const isEdit = known !== undefined && replaced === messageId;
    if (isEdit) return this.#again(session, known.id, content);
    return this.#start(session, known?.id ?? id, content);
  }

  /** Starts the turn of a message, or finds it: an id counts once. Calls that wait are settled: the user has said something else. */
  #start(session: ClientSession, id: string, content: Content): ChunkSource {
    const turn = execute(session, content, { id, ifPending: "settle", tree: true });
    return { turn, chunks: this.#chunks(session, replyIdOf(id), turn) };
  }

  async #regenerate(
    session: ClientSession,
    { messageId }: ActionOf<"regenerate">,
  ): Promise<ChunkSource> {
    const known = findMessage(session.state.messages, messageId);
    if (known?.role !== "user") {
      throw new ClientError("not_found", "The message to answer again is not in this session");
    }
    const { id, content } = known;
    const parts =
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    return this.#again(session, id, parts);
  }

  /** Cuts the history before a message, and sends it again. A turn that runs is aborted first. */
  async #again(session: ClientSession, id: string, content: Content): Promise<ChunkSource> {
    const { lastTurnId } = session;
    if (session.state.status === "running" && lastTurnId !== undefined) {
      await session.abortTurn(lastTurnId, { reason: "The user asked again" });
      await session.waitForIdle();
    }
    await session.rewind(id, { before: true });
    return this.#start(session, nextRevision(id), content);
  }

  #answer(session: ClientSession, { messageId, answers }: ActionOf<"answer">): ChunkSource {
    const { pendingToolCalls, messages } = session.state;
    const wanted = wantedAnswers(answers, pendingToolCalls);
    if (wanted.length === 0) return nothingFor(messageId);
    const calls = messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.filter((part) => part.type === "tool_call")
        : [],
    );
    const turn = execute(session, wanted, { tree: true });
    return { turn, chunks: this.#chunks(session, messageId, turn, calls, pendingToolCalls) };
  }
}

/** Fails with `invalid_request`. Media may come by URL: whether they are allowed is up to the server. */
function actionOf(request: Parameters<typeof readChatRequest>[0]): ChatAction {
  try {
    return readChatRequest(request, true);
  } catch (cause) {
    if (!(cause instanceof ChatRequestFault)) throw cause;
    throw new ClientError("invalid_request", cause.message, { cause, issues: [cause.issue] });
  }
}

/** A reply that adds nothing: what was sent is known already. */
function nothingFor(messageId: string): ChunkSource {
  const chunks: readonly Chunk[] = [{ type: "start", messageId }, ...nothingAdded];
  return { chunks: asyncOf(chunks), turn: undefined };
}

async function* asyncOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
