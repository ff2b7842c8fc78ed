/** A tool call that folds, and the question for an approval. */
import type { DynamicToolUIPart, ToolUIPart } from "ai";
import { getToolName } from "ai";
import type { ReactNode } from "react";
import { useState } from "react";

export type Decide = (approvalId: string, isApproved: boolean, reason: string) => void;
type Part = ToolUIPart | DynamicToolUIPart;

interface ToolCallProps {
  readonly part: Part;
  /** Undefined if the call waits no more. */
  readonly decide: Decide | undefined;
}

export function ToolCall({ part, decide }: ToolCallProps): ReactNode {
  const name = getToolName(part);
  const input = toText(part.input);
  if (part.state === "approval-requested" && decide !== undefined) {
    const { id } = part.approval;
    return <Question name={name} input={input} answer={(...how) => decide(id, ...how)} />;
  }
  const state = stateOf(part);
  const output = outputOf(part);
  return (
    <details className="tool" data-state={state}>
      <summary>
        <span className="name">{name}</span>
        <span className="state">{state}</span>
      </summary>
      <div className="body">
        <h3>Input</h3>
        <TextBox label={`Input of ${name}`} text={input} />
        {output !== "" && (
          <>
            <h3>Output</h3>
            <TextBox label={`Output of ${name}`} text={output} />
          </>
        )}
      </div>
    </details>
  );
}

interface QuestionProps {
  readonly name: string;
  /** Names of the agents that ask, from the top down, if it is not this one. */
  readonly path?: readonly string[] | undefined;
  readonly input: string;
  answer(isApproved: boolean, reason: string): void;
}

export function Question({ name, path, input, answer }: QuestionProps): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <section className="approval" aria-label={`Approval of ${name}`}>
      <h2>
        Allow {name}
        {path !== undefined && ` for ${path.join(" › ")}`}?
      </h2>
      <h3>It runs with exactly this input</h3>
      <TextBox label={`Input of ${name}`} text={input} />
      <label className="reason">
        Reason, if you deny it
        <input
          type="text"
          placeholder="Optional"
          maxLength={1000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="actions">
        <button type="button" className="button primary" onClick={() => answer(true, "")}>
          Approve
        </button>
        <button type="button" className="button" onClick={() => answer(false, reason.trim())}>
          Deny
        </button>
      </div>
    </section>
  );
}

function TextBox({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

export function isRunning(part: Part): boolean {
  const isOver = /^output|^approval-requested$/.test(part.state);
  return !isOver || (part.state === "output-available" && part.preliminary === true);
}

function stateOf(part: Part): "running" | "done" | "failed" | "denied" {
  if (isRunning(part)) return "running";
  if (part.state === "output-error") return "failed";
  return part.state === "output-available" ? "done" : "denied";
}

function outputOf(part: Part): string {
  switch (part.state) {
    case "output-available":
      return toText(part.output);
    case "output-error":
      return part.errorText;
    case "output-denied":
      return part.approval?.reason ?? "";
    default:
      return "";
  }
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}
