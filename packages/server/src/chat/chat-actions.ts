/** Carries out what a page asks for, in its session. */
import type { Session } from "@capstan/core";
import { SessionError } from "@capstan/core";
import type { ChatAction, ChatRequest } from "@capstan/log/chat";
import {
  findMessage,
  nextRevision,
  replyIdOf,
  turnIdOfMessage,
  wantedAnswers,
} from "@capstan/log/chat";
import { appOf } from "../endpoints/app-of.ts";
import type { Call } from "../endpoints/endpoint.ts";
import { traceIn } from "../endpoints/trace-in.ts";
import { mustTakeInput, ServerError } from "../guard/server-error.ts";
import type { OpenSession } from "../server/sessions.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import type { ChatQuery } from "./chat-endpoints.ts";
import { emptyStream, followChat, streamTurn } from "./chat-stream.ts";
import { inputUnderWay } from "./input-under-way.ts";

type ChatCall = Call<ChatQuery, ChatRequest>;
type Content = ActionOf<"send">["content"];
type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { readonly type: Type }>;

export async function act(
  call: ChatCall,
  open: OpenSession,
  action: ChatAction,
): Promise<EventStream> {
  if (action.type !== "answer") mustTakeInput(open.session);
  switch (action.type) {
    case "send":
      return send(call, open, action);
    case "regenerate":
      return regenerate(call, open, action);
    case "answer":
      return answer(call, open, action);
    default:
      return action satisfies never;
  }
}

async function send(
  call: ChatCall,
  open: OpenSession,
  { messageId, content }: ActionOf<"send">,
): Promise<EventStream> {
  const { session } = open;
  const known = findMessage(session.messages, messageId);
  const id = turnIdOfMessage(messageId);
  if (known === undefined) {
    return isRunning(session) ? steer(call, session, id, content) : start(call, open, id, content);
  }
  const isSame = known.role === "user" && JSON.stringify(known.content) === JSON.stringify(content);
  const isEdit = call.body.messageId === messageId && !(isSame && isRunning(session));
  return isEdit ? again(call, open, known.id, content) : repeat(call, open, known.id, content);
}

/** Starts the turn of a message. Calls that wait for an answer are settled: the user has said something else. */
function start(
  call: ChatCall,
  open: OpenSession,
  id: string,
  content: Content,
): Promise<EventStream> {
  call.backend.storage.admit(call.principal, open.session);
  return streamSend(call, open, { id, content, isRepeat: false });
}

interface Sending {
  readonly id: string;
  readonly content: Content;
  readonly isRepeat: boolean;
}

function streamSend(
  call: ChatCall,
  open: OpenSession,
  { id, content, isRepeat }: Sending,
): Promise<EventStream> {
  return streamTurn(call, open, { messageId: replyIdOf(id), isRepeat }, (session) =>
    session.send(content, {
      id,
      ifPending: "settle",
      ...appOf(call, session.agent),
      ...traceIn(call.headers),
    }),
  );
}

/** Adds a message to the turn that runs. The stream of that turn shows it, so this one adds nothing. */
async function steer(
  call: ChatCall,
  session: Session,
  id: string,
  content: Content,
): Promise<EventStream> {
  call.backend.storage.admit(call.principal, session);
  await session.steer([...content], { id, ...appOf(call, session.agent) });
  return emptyStream(replyIdOf(id));
}

/** Streams the reply to a message that was sent before: a request is repeated if its response was lost. */
async function repeat(
  call: ChatCall,
  open: OpenSession,
  id: string,
  content: Content,
): Promise<EventStream> {
  const { session } = open;
  const isUnderWay = isRunning(session) && inputUnderWay(session) === id;
  const following = isUnderWay ? followChat(call, open) : undefined;
  if (following !== undefined) return following;
  try {
    return await streamSend(call, open, { id, content, isRepeat: true });
  } catch (thrown) {
    // The message was steered into a turn, so it has no reply of its own.
    if (thrown instanceof SessionError && thrown.code === "id_conflict") {
      return emptyStream(replyIdOf(id));
    }
    throw thrown;
  }
}

async function regenerate(
  call: ChatCall,
  open: OpenSession,
  { messageId }: ActionOf<"regenerate">,
): Promise<EventStream> {
  const known = findMessage(open.session.messages, messageId);
  if (known?.role !== "user") {
    throw new ServerError("not_found", "The message to answer again is not in this conversation");
  }
  const { id, content } = known;
  return again(
    call,
    open,
    id,
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
}

/** Cuts the history before a message, and sends it again. A turn that runs is stopped first. */
async function again(
  call: ChatCall,
  open: OpenSession,
  id: string,
  content: Content,
): Promise<EventStream> {
  const { session } = open;
  if (isRunning(session)) {
    await session.abort("The user asked again");
    await session.waitForIdle();
  }
  await session.rewind(id, { before: true });
  return start(call, open, nextRevision(id), content);
}

async function answer(
  call: ChatCall,
  open: OpenSession,
  { messageId, answers }: ActionOf<"answer">,
): Promise<EventStream> {
  const { session } = open;
  await session.refresh();
  const wanted = wantedAnswers(answers, session.pendingToolCalls);
  if (wanted.length === 0) return emptyStream(messageId);
  call.backend.storage.admit(call.principal, session);
  // Answers are identified by their content.
  return streamTurn(call, open, { messageId, isContinued: true }, () =>
    session.send([...wanted], { id: "wire" }),
  );
}

function isRunning({ status }: Session): boolean {
  return status === "running";
}
