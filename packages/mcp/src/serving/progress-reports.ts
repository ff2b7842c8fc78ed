/** Steps and tools of an agent, as progress of its call. */
import type { Session, SessionEvent } from "@capstan/core";

/** `progress` grows; there is no total. */
export type TellProgress = (progress: number, message: string) => void;

/** Reports steps and tools until the returned function is called. */
export function reportProgress(session: Session, tell: TellProgress | undefined): () => void {
  if (tell === undefined) return () => {};
  let progress = 0;
  const report = (message: string): void => {
    progress += 1;
    tell(progress, message);
  };
  report("started");
  const stop = session.subscribe((event) => {
    const message = describe(event);
    if (message !== undefined) report(message);
  });
  return stop;
}

function describe(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "step_start":
      return `step ${event.step}`;
    case "tool_execution_start":
      return `running ${event.toolName}`;
    case "turn_end":
      return "done";
    default:
      return undefined;
  }
}
