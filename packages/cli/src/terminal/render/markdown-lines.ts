/** Lines of a Markdown text that grows: finished pieces are laid out once. */
import type { Typesetter } from "../screen/contracts.ts";
import { finishedEnds } from "./paragraphs.ts";

export class MarkdownLines {
  readonly #typesetter: Pick<Typesetter, "markdown">;
  #width = 0;
  /** Text of the finished pieces. */
  #finished = "";
  readonly #lines: string[] = [];

  constructor(typesetter: Pick<Typesetter, "markdown">) {
    this.#typesetter = typesetter;
  }

  of(text: string, width: number): readonly string[] {
    if (width !== this.#width || !text.startsWith(this.#finished)) {
      this.#width = width;
      this.#finished = "";
      this.#lines.length = 0;
    }
    let start = this.#finished.length;
    for (const end of finishedEnds(text, start)) {
      this.#add(text.slice(start, end));
      start = end;
    }
    this.#finished = text.slice(0, start);
    const rest = this.#layOut(text.slice(start));
    if (rest.length === 0) return this.#lines;
    return this.#lines.length === 0 ? rest : [...this.#lines, "", ...rest];
  }

  #add(piece: string): void {
    const lines = this.#layOut(piece);
    if (lines.length === 0) return;
    if (this.#lines.length > 0) this.#lines.push("");
    this.#lines.push(...lines);
  }

  #layOut(piece: string): readonly string[] {
    if (piece.trim() === "") return [];
    const lines = this.#typesetter.markdown(piece, this.#width);
    const end = lines.findLastIndex((line) => line.trim() !== "");
    return lines.slice(0, end + 1);
  }
}
