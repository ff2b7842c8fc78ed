/** Highest epoch of all deleted sessions: a new session under an old id continues after it. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { MaybePromise } from "@capstan/log";
import type { FileLocks } from "./file-lock.ts";
import { isMissing } from "./fs-failure.ts";

export class DeletedEpochs {
  readonly #path: string;
  readonly #locks: FileLocks;

  constructor(path: string, locks: FileLocks) {
    this.#path = path;
    this.#locks = locks;
  }

  last(): number {
    try {
      // Written by `add`.
      return (JSON.parse(readFileSync(this.#path, "utf8")) as { readonly last: number }).last;
    } catch (thrown) {
      if (isMissing(thrown)) return 0;
      throw thrown;
    }
  }

  add(epoch: number): MaybePromise<void> {
    return this.#locks.hold(`${this.#path}.lock`, () => {
      const draft = `${this.#path}.new`;
      const last = Math.max(epoch, this.last());
      writeFileSync(draft, `{ "last": ${last} }\n`, { flush: true });
      renameSync(draft, this.#path);
    });
  }
}
