/** Posts the answers of a client to the calls that wait in its session. */
import type { PendingCall, Session } from "@capstan/core";
import { toAnswer, toRefusal } from "./pending-questions.ts";

/** Answers those of the calls that wait for one and have a response. Returns why responses do not fit, by call. */
export async function answerCalls(
  session: Session,
  responses: Readonly<Record<string, unknown>>,
  asked: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  const answers = session.pendingToolCalls.flatMap((call) => {
    const { toolCallId } = call;
    if (!asked.includes(toolCallId) || !Object.hasOwn(responses, toolCallId)) return [];
    const checked = toAnswer(call, responses[toolCallId]);
    if ("answer" in checked) return [checked.answer];
    problems.set(toolCallId, checked.problem);
    return [];
  });
  if (answers.length > 0) {
    session.send(answers, { id: "mcp" });
    await session.flush();
  }
  return problems;
}

/** Refuses calls that the client cannot ask about, so that the turn goes on. */
export async function refuseCalls(session: Session, calls: readonly PendingCall[]): Promise<void> {
  const reason =
    "Refused: this call needs an answer of the user, and the client cannot ask its user.";
  session.send(
    calls.map((call) => toRefusal(call, reason)),
    { id: "mcp" },
  );
  await session.flush();
}
