/** A permission question on the screen: the exact input, and the answers to choose from. */
import type { PendingCall } from "@capstan/kernel";
import { describeRule } from "../../permissions/decision.ts";
import type { Asking } from "../../permissions/decision.ts";
import type { KeyName, Panel } from "../screen/contracts.ts";
import type { Look } from "../render/look.ts";
import { safeText } from "../render/safe-text.ts";
import type { Choice } from "./choices.ts";
import { describeInput, describeParts } from "./describe-input.ts";

export interface Question {
  readonly call: PendingCall;
  readonly asking: Asking;
  readonly choices: readonly Choice[];
  /** Questions that follow this one. */
  readonly moreCount: number;
}

export class QuestionPanel implements Panel {
  readonly #question: Question;
  readonly #look: Look;
  readonly #onChoice: (choice: Choice) => void;
  #selected = 0;
  /** First line of the input that is shown. */
  #top = 0;
  #page = 1;
  #inputCount = 0;

  constructor(question: Question, look: Look, onChoice: (choice: Choice) => void) {
    this.#question = question;
    this.#look = look;
    this.#onChoice = onChoice;
  }

  lines(width: number, rows: number): readonly string[] {
    const { theme, typesetter } = this.#look;
    const { call, asking, choices, moreCount } = this.#question;
    const more = moreCount > 0 ? theme.dim(` (${moreCount} more after this)`) : "";
    const via = call.via === undefined ? "" : theme.dim(` for ${pathOf(call)}`);
    const head = `${theme.warning("?")} ${theme.strong(`Allow ${safeText(call.toolName)}?`)}${via}${more}`;
    const foot = [
      ...describeParts(asking, width, this.#look),
      ...typesetter.wrap(safeText(whyOf(asking)), width).map((line) => theme.dim(line)),
      ...choices.flatMap((choice, index) => this.#choiceLines(choice, index, width)),
    ];
    const input = describeInput(call, Math.max(1, width - 2), this.#look).map((one) => `  ${one}`);
    this.#inputCount = input.length;
    // Three lines: the border, the head, and how to see the rest.
    this.#page = Math.max(1, rows - foot.length - 6);
    this.#top = Math.min(this.#top, Math.max(0, input.length - this.#page));
    const shown = input.slice(this.#top, this.#top + this.#page);
    const end = this.#top + shown.length;
    const rest =
      shown.length < input.length
        ? [theme.warning(`lines ${this.#top + 1} to ${end} of ${input.length}: pgup, pgdn`)]
        : [];
    return [theme.dim("─".repeat(width)), head, ...shown, ...rest, ...foot];
  }

  onKey(key: KeyName, text: string): void {
    const { choices } = this.#question;
    if (key === "up") this.#selected = Math.max(0, this.#selected - 1);
    else if (key === "down") this.#selected = Math.min(choices.length - 1, this.#selected + 1);
    else if (key === "pageDown") this.#scroll(this.#page);
    else if (key === "pageUp") this.#scroll(-this.#page);
    else if (key === "enter") this.#choose(choices[this.#selected]);
    else if (key === "escape") this.#choose(choices.find(({ type }) => type === "no"));
    else if (text === "y") this.#choose(choices.find(({ type }) => type === "once"));
    else if (text === "n") this.#choose(choices.find(({ type }) => type === "no"));
    else if (/^[1-9]$/.test(text)) this.#choose(choices[Number(text) - 1]);
  }

  plainLines(): readonly string[] {
    const { call, asking, choices, moreCount } = this.#question;
    const more = moreCount > 0 ? ` ${moreCount} more questions follow.` : "";
    return [
      `Question: allow ${safeText(call.toolName)}?${call.via === undefined ? "" : ` It is asked for by ${pathOf(call)}.`}${more}`,
      ...describeInput(call, plainWidth, this.#look),
      ...describeParts(asking, plainWidth, this.#look),
      safeText(whyOf(asking)),
      ...choices.map((choice, index) => `${index + 1}: ${textOf(choice)}`),
      "Type a number and press enter.",
    ];
  }

  onLine(text: string): void {
    this.onKey("", text.trim().toLowerCase());
  }

  #scroll(by: number): void {
    const last = Math.max(0, this.#inputCount - this.#page);
    this.#top = Math.max(0, Math.min(last, this.#top + by));
  }

  #choose(choice: Choice | undefined): void {
    if (choice !== undefined) this.#onChoice(choice);
  }

  /** A rule is never cut: the user agrees to all of it. */
  #choiceLines(choice: Choice, index: number, width: number): readonly string[] {
    const { theme, typesetter } = this.#look;
    const isSelected = index === this.#selected;
    const mark = `${isSelected ? "❯" : " "} ${index + 1} `;
    return typesetter.wrap(textOf(choice), Math.max(1, width - mark.length)).map((line, at) => {
      const text = `${at === 0 ? mark : " ".repeat(mark.length)}${line}`;
      return isSelected ? theme.accent(text) : text;
    });
  }
}

/** Lines for screen readers are broken by the terminal. */
const plainWidth = 10_000;

/** Agents between this session and the call, from the top down. */
function pathOf({ via = [] }: PendingCall): string {
  return via.map(({ agent }) => safeText(agent)).join(" › ");
}

function textOf(choice: Choice): string {
  const rules = choice.type === "always" ? `: ${choice.rules.join(" and ")}` : "";
  return `${choice.label}${safeText(rules)}`;
}

function whyOf({ why, rule, layer, allowWith }: Asking): string {
  if (rule !== undefined) return `${why}: ${describeRule(rule, layer)}.`;
  return allowWith.length === 0 ? `${why}. No rule with a pattern can allow it.` : `${why}.`;
}
