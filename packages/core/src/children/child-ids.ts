/** Ids of child sessions and of their turns: they follow from the parent's call, so every process computes the same. */
import { hashJson } from "@capstan/kernel";
import type { ChildMemory } from "../tools/other-agents.ts";

export interface CallOfParent {
  readonly sessionId: string;
  readonly incarnation: string | undefined;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly memory: ChildMemory;
}

export function childIdOf(call: CallOfParent): string {
  const { sessionId, incarnation = null, toolCallId, toolName, memory } = call;
  const key = memory === "call" ? ["call", toolCallId] : ["session", toolName];
  return hashJson([sessionId, incarnation, ...key]).slice(0, 32);
}

/** Id of the input that gives the child its task, and so of the turn. */
export function taskIdOf(childId: string, toolCallId: string): string {
  return hashJson([childId, toolCallId]).slice(0, 32);
}
