/** Types of script.mjs, which is taken over as it is. */
export interface Script {
  readonly toolSteps: number;
  readonly args: { readonly city: string; readonly days: number };
  readonly argDeltas: readonly string[];
  readonly textDeltas: readonly string[];
  readonly text: string;
  readonly toolName: string;
}

export type NeutralMessage =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "call";
      readonly id: string;
      readonly name: string;
      readonly args: { readonly city: string; readonly days: number };
    }
  | {
      readonly role: "result";
      readonly id: string;
      readonly name: string;
      readonly text: string;
    }
  | { readonly role: "assistant"; readonly text: string };

export function makeScript(size?: { toolSteps?: number; textDeltas?: number }): Script;
export function makeHistory(messages: number): NeutralMessage[];
export const toolResult: string;
export function sleep(ms: number): Promise<void>;

export class Seen {
  deltas: number;
  chars: number;
  events: number;
  tools: number;
  delta(text: string): void;
}
