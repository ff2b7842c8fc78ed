/** The conversation, and the field below it. */
import type { ReactNode } from "react";
import { useRef } from "react";
import { isToolUIPart } from "ai";
import { Composer } from "./composer.tsx";
import type { History, PageMessage } from "./history.ts";
import { Reply, UserMessage } from "./messages.tsx";
import { Question, toText } from "./tool-call.tsx";
import { useConversation } from "./use-conversation.ts";
import { useFollowEnd } from "./use-follow-end.ts";

const suggestions = [
  "How does this page work?",
  "Search the library for knots",
  "Book a table for four",
  "What time is it here?",
];

interface ConversationProps {
  readonly id: string;
  readonly history: History;
  onFirstMessage(): void;
}

export function Conversation({ id, history, onFirstMessage }: ConversationProps): ReactNode {
  const { messages, queued, isRunning, error, waitingCalls, ...actions } = useConversation(
    id,
    history,
  );
  const scroller = useRef<HTMLElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const scrollToEnd = useFollowEnd(scroller);
  const send = (text: string): Promise<boolean> => {
    onFirstMessage();
    scrollToEnd();
    field.current?.focus();
    return actions.send(text);
  };
  const decide: typeof actions.decide = (...decision) => {
    field.current?.focus();
    actions.decide(...decision);
  };
  const last = messages.at(-1);
  return (
    <>
      <main className="scroller" tabIndex={-1} ref={scroller}>
        <div className="column">
          {messages.length === 0 && <Welcome onChoose={(text) => void send(text)} />}
          <div className="messages" role="log" aria-label="Conversation" aria-live="polite">
            {messages.map((message) =>
              message.role === "user" ? (
                <UserMessage key={message.id} parts={message.parts} />
              ) : (
                <Reply
                  key={message.id}
                  message={message}
                  isBusy={isRunning && message === last}
                  // A message instead of a decision has settled the calls before it.
                  decide={message === last ? decide : undefined}
                />
              ),
            )}
            {isRunning && last?.role === "user" && <Reply isBusy decide={decide} />}
            {queued.map(({ id, text }) => (
              <UserMessage key={id} parts={[{ type: "text", text }]} isQueued />
            ))}
            {waitingCalls.map((call) => (
              <Question
                key={call.toolCallId}
                name={call.toolName}
                path={call.via?.map(({ agent }) => agent)}
                input={toText(call.input)}
                answer={(...how) => actions.decideBelow(call, ...how)}
              />
            ))}
          </div>
        </div>
      </main>
      <footer className="column">
        {error !== undefined && (
          <p className="problem" role="alert">
            {error.message}
          </p>
        )}
        <p className="unseen" role="status">
          {announcementOf(last, isRunning, waitingCalls[0]?.toolName)}
        </p>
        <Composer field={field} isRunning={isRunning} send={send} stop={actions.stop} />
        <p className="hint">Enter sends, Shift+Enter starts a new line, Escape stops.</p>
      </footer>
    </>
  );
}

function Welcome({ onChoose }: { onChoose(text: string): void }): ReactNode {
  return (
    <section className="welcome" aria-label="Suggestions">
      <h2>What can I do for you?</h2>
      <p>Choose one of these, or write a message.</p>
      <ul className="suggestions">
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => onChoose(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** For screen readers. */
function announcementOf(
  last: PageMessage | undefined,
  isRunning: boolean,
  waiting: string | undefined,
): string {
  const approval = last?.parts.find(
    (part) => isToolUIPart(part) && part.state === "approval-requested",
  );
  if (isRunning) return "Working";
  if (approval !== undefined) return `Approval needed: ${approval.type.replace(/^tool-/, "")}`;
  if (waiting !== undefined) return `Approval needed: ${waiting}`;
  if (last?.role !== "assistant") return "";
  return last.metadata?.isStopped === true ? "Stopped" : "Reply complete";
}
