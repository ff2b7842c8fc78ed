/** Images in the prompt: shown as `[image #1]`, sent as parts of the message. */
import type { UserPart } from "@capstan/kernel";
import type { Model } from "@capstan/core";
import { failed } from "../../errors/command-error.ts";
import { readAttachment } from "../../session/attachments.ts";
import { imagePathsIn } from "./image-paths.ts";

type Read = Promise<UserPart | Error>;

export class PromptImages {
  readonly #images = new Map<number, Read>();

  /** Text to insert for a paste: marks, if it is nothing but paths of images. */
  insteadOf(pasted: string, cwd: string): string {
    const marks = imagePathsIn(pasted, cwd).map((path) =>
      this.add(readAttachment({ written: path, path })),
    );
    return marks.length === 0 ? pasted : `${marks.join(" ")} `;
  }

  /** Returns the mark of the image. It is read at once: files of screenshots do not last. */
  add(reading: Promise<UserPart>): string {
    const number = this.#images.size + 1;
    // Failures are reported when the prompt is sent.
    const read = reading.catch((thrown: unknown) =>
      thrown instanceof Error ? thrown : new Error(String(thrown)),
    );
    this.#images.set(number, read);
    return `[image #${number}]`;
  }

  /** Parts of the images that the text mentions. Throws a `CommandError`. */
  async partsIn(text: string): Promise<readonly UserPart[]> {
    const numbers = new Set(
      Array.from(text.matchAll(/\[image #(\d+)\]/g), ([, one]) => Number(one)),
    );
    const reads = Array.from(numbers, (number) => this.#images.get(number));
    const parts = await Promise.all(reads.filter((read) => read !== undefined));
    return parts.map((part) => {
      if (part instanceof Error) throw part;
      return part;
    });
  }
}

/** Throws a `CommandError` if the model is known not to see images. */
export function mustSeeImages(
  parts: readonly UserPart[],
  { provider, facts }: Model,
  name: string,
): void {
  if (!parts.some(({ type }) => type === "image")) return;
  const isBlind = provider.id === "offline" || facts?.input?.includes("image") === false;
  if (isBlind) throw failed(`${name} cannot see images: choose another model with /model.`);
}
