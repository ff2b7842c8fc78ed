/** The message with which a session gets the result of a child that worked in the background. */
import type { UserMessage } from "@capstan/kernel";
import type { ChildReport } from "../entries/entries.ts";
import type { Child } from "./child-state.ts";

export function toResultMessage(
  id: string,
  { agent, childId }: Pick<Child, "agent" | "childId">,
  { result }: Extract<ChildReport, { readonly type: "ended" }>,
): UserMessage {
  const { output, isError } = result;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const how = isError ? "ended without an answer" : "ended. Its answer follows";
  // The model must not take it for a request of the user.
  const about = `[Background: the agent "${agent}" (child ${childId}) has ${how}. The user did not write this message.]`;
  return { role: "user", id, source: "child", content: `${about}\n\n${text}` };
}
