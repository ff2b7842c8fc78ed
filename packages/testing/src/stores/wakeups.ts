/** Hints that there is something to read. */
import assert from "node:assert/strict";
import type { Wakeup } from "@capstan/log";
import { actUntilHeard, isChange, listen } from "./listen.ts";
import { begin, beginOwned, head, owned, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

export const wakeups: StoreTheme = {
  name: "wake-ups",
  cases: {
    "a listener hears of an append": async ({ repository, other, patienceMs }) => {
      const { lease } = await beginOwned(repository, "s");
      const ear = listen(other, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        repository.append("s", [owned(`e${attempt}`)], { lease, head: head() }),
      );

      ear.stop();
    },

    "a listener hears of a post": async ({ repository, other, patienceMs }) => {
      await begin(repository, "s");
      const ear = listen(repository, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      ear.stop();
    },

    "a change that a listener hears of can be read": async ({ repository, other, patienceMs }) => {
      await begin(repository, "s");
      const read = Promise.withResolvers<string[]>();
      const stop = repository.subscribe("s", () => read.resolve(readIds(repository, "s")));
      const ear = listen(repository, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.ok((await read.promise).length > 1, "the wake-up came before the write");
      stop();
      ear.stop();
    },

    "a listener that has stopped hears nothing more": async ({ repository, other, patienceMs }) => {
      await begin(repository, "s");
      const stopped = listen(repository, "s");
      const ear = listen(repository, "s");

      stopped.stop();
      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.deepEqual(stopped.heard, []);
      ear.stop();
    },

    "a listener that another one stops during a wake-up hears nothing more": async ({
      repository,
      other,
      patienceMs,
    }) => {
      await begin(repository, "s");
      const heard: string[] = [];
      const ends = new Map<string, () => void>();
      const subscribe = (name: string, rival: string): void => {
        const listener = (): void => {
          heard.push(name);
          ends.get(rival)?.();
        };
        ends.set(name, repository.subscribe("s", listener));
      };
      subscribe("left", "right");
      subscribe("right", "left");
      const ear = listen(repository, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.equal(new Set(heard).size, 1);
      [...ends.values(), ear.stop].forEach((stop) => stop());
    },

    "a listener of another session hears nothing": async ({ repository, other, patienceMs }) => {
      await begin(repository, "s");
      await begin(repository, "quiet");
      const quiet = listen(repository, "quiet");
      const ear = listen(repository, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.deepEqual(quiet.heard, []);
      quiet.stop();
      ear.stop();
    },

    "a listener that throws harms neither the writer nor another listener": async ({
      repository,
      other,
      patienceMs,
    }) => {
      await begin(repository, "s");
      const stop = repository.subscribe("s", () => {
        throw new Error("a listener failed");
      });
      const ear = listen(repository, "s");

      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.equal((await readIds(repository, "s"))[1], "p1");
      stop();
      ear.stop();
    },

    "stopping twice is fine, and stops only one of two equal listeners": async ({
      repository,
      other,
      patienceMs,
    }) => {
      await begin(repository, "s");
      const heard: Wakeup[] = [];
      const listener = (wakeup: Wakeup): void => {
        heard.push(wakeup);
      };
      const stopFirst = repository.subscribe("s", listener);
      const stopSecond = repository.subscribe("s", listener);
      const ear = listen(repository, "s");

      stopFirst();
      stopFirst();
      await actUntilHeard(ear, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.ok(heard.length > 0, "the other listener was stopped too");
      stopSecond();
      ear.stop();
    },
  },
};
