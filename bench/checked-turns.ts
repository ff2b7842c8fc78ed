/** Turns whose text, deltas and tool runs are compared with the script: everybody provably does the same work. */
import type { NeutralMessage, Script } from "./script.mjs";
import { makeScript, Seen } from "./script.mjs";
import type { Agent, Subject } from "./subject.ts";

export interface TurnSize {
  readonly toolSteps: number;
  readonly textDeltas: number;
  readonly latencyMs?: number;
}

export class CheckedTurns {
  readonly history: unknown;
  readonly #agent: Agent;
  readonly #script: Script;
  readonly #seenRef: { seen: Seen };

  static async create(
    subject: Subject,
    size: TurnSize,
    history: NeutralMessage[],
  ): Promise<CheckedTurns> {
    const script = makeScript(size);
    const seenRef = { seen: new Seen() };
    const { latencyMs = 0 } = size;
    const agent = await subject.createAgent?.({ script, latencyMs, seenRef });
    if (agent === undefined) throw new Error(`${subject.name} runs no turns`);
    return new CheckedTurns(agent, script, seenRef, agent.prepareHistory(history));
  }

  private constructor(agent: Agent, script: Script, seenRef: { seen: Seen }, history: unknown) {
    this.#agent = agent;
    this.#script = script;
    this.#seenRef = seenRef;
    this.history = history;
  }

  async run(seen: Seen = new Seen()): Promise<void> {
    this.#seenRef.seen = seen;
    await this.#turn(this.history, seen);
    this.#checkTools(seen, 1);
  }

  /** Runs turns at the same time, each with its own list of the same messages. */
  async runTogether(histories: readonly unknown[]): Promise<void> {
    const all = new Seen();
    this.#seenRef.seen = all;
    await Promise.all(histories.map((history) => this.#turn(history, new Seen())));
    this.#checkTools(all, histories.length);
  }

  prepareHistory(history: NeutralMessage[]): unknown {
    return this.#agent.prepareHistory(history);
  }

  async #turn(history: unknown, seen: Seen): Promise<void> {
    const text = await this.#agent.turn(history, seen);
    const { text: expected, textDeltas } = this.#script;
    if (text !== expected) throw new Error("The text of a turn is not that of the script");
    check("deltas", seen.deltas, textDeltas.length);
    check("characters in deltas", seen.chars, expected.length);
  }

  #checkTools(seen: Seen, turns: number): void {
    check("tool runs", seen.tools, turns * this.#script.toolSteps);
  }
}

function check(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${actual} ${what} instead of ${expected}`);
}
