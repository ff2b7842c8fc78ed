/** Messages of the conversation. */
import { isToolUIPart } from "ai";
import type { ReactNode } from "react";
import { memo } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import type { PageMessage } from "./history.ts";
import { ToolCall, isRunning } from "./tool-call.tsx";
import type { Decide } from "./tool-call.tsx";

type Part = PageMessage["parts"][number];

interface UserMessageProps {
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
  readonly isQueued?: boolean;
  readonly isAdded?: boolean;
}

export function UserMessage({ parts, isQueued, isAdded }: UserMessageProps): ReactNode {
  return (
    <article className={`message user${isQueued === true ? " queued" : ""}`} aria-label="You">
      <span>{parts.map(({ text }) => text ?? "").join("")}</span>
      {isQueued === true && <span className="note">Waits for the next step</span>}
      {isAdded === true && <span className="note">Sent while it worked</span>}
    </article>
  );
}

interface ReplyProps {
  /** Undefined before the first word. */
  readonly message?: PageMessage;
  readonly isBusy: boolean;
  /** Undefined if its calls wait no more. */
  readonly decide: Decide | undefined;
}

export function Reply({ message, isBusy, decide }: ReplyProps): ReactNode {
  const parts = message?.parts ?? [];
  return splitAtSteering(parts).map((section, index, sections) => {
    const isLast = index === sections.length - 1;
    const [first] = section;
    // Messages that were added to a reply stand between its parts.
    if (first?.type === "steering-message") {
      return <UserMessage key={first.id} parts={first.parts} isAdded />;
    }
    return (
      <article key={index} aria-label="Assistant" aria-busy={isBusy && isLast}>
        <div className="message assistant">
          {section.map((part, at) => (
            <ReplyPart key={at} part={part} decide={decide} />
          ))}
          {isLast && message?.metadata?.isStopped === true && <div className="note">Stopped</div>}
        </div>
        {isBusy && isLast && isSilent(section) && <Working />}
      </article>
    );
  });
}

/** Sections of a reply: its parts, with a section of its own for each message that was added to it. */
function splitAtSteering(parts: readonly Part[]): readonly (readonly Part[])[] {
  const sections: Part[][] = [[]];
  for (const part of parts) {
    if (part.type === "steering-message") sections.push([part], []);
    else sections.at(-1)?.push(part);
  }
  return sections;
}

/** Whether nothing of a reply moves. */
function isSilent(parts: readonly Part[]): boolean {
  const last = parts.at(-1);
  if (last === undefined || last.type === "step-start" || last.type === "reasoning") return true;
  return isToolUIPart(last) && !isRunning(last);
}

interface ReplyPartProps extends Pick<ReplyProps, "decide"> {
  readonly part: Part;
}

function ReplyPart({ part, decide }: ReplyPartProps): ReactNode {
  if (part.type === "text") return <Text text={part.text} />;
  if (part.type === "reasoning") return part.text === "" ? null : <Thoughts text={part.text} />;
  if (isToolUIPart(part)) return <ToolCall part={part} decide={decide} />;
  return null;
}

const plugins = [remarkGfm];

/** HTML in a reply is shown as text, and links to scripts lead nowhere: both are defaults of the library. */
const Text = memo(({ text }: { readonly text: string }) => (
  <div className="markdown">
    <Markdown
      remarkPlugins={plugins}
      components={{
        a: ({ href, children }) => (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {children}
          </a>
        ),
        pre: ({ children }) => (
          <pre tabIndex={0} role="region" aria-label="Code">
            {children}
          </pre>
        ),
        table: ({ children }) => (
          <div className="table" tabIndex={0} role="region" aria-label="Table">
            <table>{children}</table>
          </div>
        ),
        // The page has the h1.
        h1: "h2",
        h2: "h3",
        h3: "h4",
      }}
    >
      {text}
    </Markdown>
  </div>
));

function Thoughts({ text }: { readonly text: string }): ReactNode {
  return (
    <details className="thinking">
      <summary>Thoughts</summary>
      <div className="body">{text}</div>
    </details>
  );
}

function Working(): ReactNode {
  return (
    <div className="working" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
