/** A question of an MCP server on the screen: one field after the other. */
import type { JsonValue } from "@capstan/kernel";
import type { FormField, ServerQuestion } from "../../session/forms.ts";
import { readField } from "../../session/forms.ts";
import type { Look } from "../render/look.ts";
import { safeText } from "../render/safe-text.ts";
import type { KeyName, Panel } from "../screen/contracts.ts";

export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, JsonValue>> }
  | { readonly action: "decline" | "cancel" };

const advice = "enter answers · /decline refuses · esc or /cancel leaves the question";

export class FormPanel implements Panel {
  readonly #question: ServerQuestion;
  readonly #look: Look;
  readonly #onAnswer: (answer: FormAnswer) => void;
  readonly #content: Record<string, JsonValue> = {};
  #index = 0;
  #text = "";
  #problem: string | undefined;

  constructor(question: ServerQuestion, look: Look, onAnswer: (answer: FormAnswer) => void) {
    this.#question = question;
    this.#look = look;
    this.#onAnswer = onAnswer;
    this.#problem = question.problem;
  }

  lines(width: number): readonly string[] {
    const { theme, typesetter } = this.#look;
    const wrap = (text: string): readonly string[] => typesetter.wrap(safeText(text), width);
    const [head = "", ...others] = this.#told();
    return [
      theme.dim("─".repeat(width)),
      ...wrap(head).map((line) => theme.strong(line)),
      ...others.flatMap(wrap),
      ...wrap(`> ${this.#text}`).map((line) => theme.accent(line)),
      ...wrap(advice).map((line) => theme.dim(line)),
    ];
  }

  onKey(key: KeyName, text: string): void {
    if (key === "escape") this.#onAnswer({ action: "cancel" });
    else if (key === "enter") this.onLine(this.#text);
    else if (key === "backspace") this.#text = Array.from(this.#text).slice(0, -1).join("");
    else this.#text += text;
  }

  plainLines(): readonly string[] {
    return [...this.#told().map(safeText), "Write the answer, /decline or /cancel, press enter."];
  }

  onLine(text: string): void {
    this.#text = "";
    const word = text.trim();
    if (word === "/decline") return this.#onAnswer({ action: "decline" });
    if (word === "/cancel") return this.#onAnswer({ action: "cancel" });
    const field = this.#question.fields[this.#index];
    if (field !== undefined) {
      const read = readField(field, text);
      this.#problem = "problem" in read ? read.problem : undefined;
      if ("problem" in read) return;
      if (read.value !== undefined) this.#content[field.name] = read.value;
      this.#index += 1;
    }
    if (this.#index >= this.#question.fields.length) {
      this.#onAnswer({ action: "accept", content: this.#content });
    }
  }

  /** The server is named first: what follows is its own text. */
  #told(): readonly string[] {
    const { server, message, url, fields } = this.#question;
    const field = fields[this.#index];
    return [
      `? The MCP server ${server} asks`,
      message,
      ...(url === undefined ? [] : [`Open this page yourself, then press enter: ${url}`]),
      ...(this.#problem === undefined ? [] : [`! ${this.#problem}`]),
      ...(field === undefined ? [] : [describe(field, this.#index + 1, fields.length)]),
    ];
  }
}

function describe(field: FormField, at: number, count: number): string {
  const { label, type, choices, isRequired, default: otherwise } = field;
  const listed = choices?.map((choice, index) => `${index + 1} ${choice}`).join(", ");
  const kind = listed ?? (type === "boolean" ? "yes or no" : type === "string" ? "text" : type);
  const rest = otherwise === undefined ? "" : `, default ${JSON.stringify(otherwise)}`;
  return `${at}/${count} ${label} (${kind}${isRequired ? "" : ", optional"}${rest})`;
}
