/** Events without an entry, for readers that follow. */
import assert from "node:assert/strict";
import type { Lease, LiveFrame, SessionRepository, Wakeup } from "@capstan/log";
import { actUntilHeard, isChange, listen } from "./listen.ts";
import { begin, beginOwned, own, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";

function frame(epoch: number, from: number): LiveFrame {
  const delta = { type: "text_delta", delta: "Hi \u0000🙂" } as const;
  return { epoch, seq: 1, from, turnId: "t", events: [delta] };
}

function send(repository: SessionRepository, lease: Lease, sent: LiveFrame): void {
  repository.sendLive?.(lease, sent);
}

function isLive(wakeup: Wakeup): boolean {
  return wakeup.type === "live";
}

function isFollowed(wakeup: Wakeup): boolean {
  return wakeup.type === "followed";
}

function framesIn(wakeups: readonly Wakeup[]): LiveFrame[] {
  return wakeups.flatMap((wakeup) => (wakeup.type === "live" ? [wakeup.frame] : []));
}

export const liveFrames: StoreTheme = {
  name: "live frames",
  whyNot: ({ repository }) =>
    repository.sendLive === undefined ? "this store has no live frames" : undefined,
  cases: {
    "a following reader gets a frame as it was sent": async ({ repository, other, patienceMs }) => {
      const { lease } = await beginOwned(repository, "s");
      const reader = listen(other, "s", { isLive: true });

      await actUntilHeard(reader, isLive, patienceMs, (attempt) =>
        send(repository, lease, frame(lease.epoch, attempt)),
      );

      const [got] = framesIn(reader.heard);
      assert.deepEqual(got, frame(lease.epoch, got?.from ?? 0));
      reader.stop();
    },

    "a frame does not reach a listener that does not follow, nor a reader of another session":
      async ({ repository, other, patienceMs }) => {
        const { lease } = await beginOwned(repository, "s");
        await begin(repository, "quiet");
        const listener = listen(other, "s");
        const stranger = listen(other, "quiet", { isLive: true });
        const reader = listen(other, "s", { isLive: true });

        await actUntilHeard(reader, isLive, patienceMs, (attempt) =>
          send(repository, lease, frame(lease.epoch, attempt)),
        );

        assert.deepEqual(framesIn([...listener.heard, ...stranger.heard]), []);
        [listener, stranger, reader].forEach((ear) => ear.stop());
      },

    "a following reader hears of posts as well": async ({ repository, other, patienceMs }) => {
      await begin(repository, "s");
      const reader = listen(repository, "s", { isLive: true });

      await actUntilHeard(reader, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      reader.stop();
    },

    "an owner hears that a reader follows": async ({ repository, other, patienceMs }) => {
      await beginOwned(repository, "s");
      const owner = listen(repository, "s");
      const stops: (() => void)[] = [];

      await actUntilHeard(owner, isFollowed, patienceMs, () => {
        stops.push(listen(other, "s", { isLive: true }).stop);
      });

      [owner.stop, ...stops].forEach((stop) => stop());
    },

    "an owner that comes after its readers hears that they follow": async ({
      repository,
      other,
      patienceMs,
    }) => {
      await begin(repository, "s");
      const reader = listen(other, "s", { isLive: true });
      await own(repository, "s");
      const owner = listen(repository, "s");

      await actUntilHeard(owner, isFollowed, patienceMs, () => {});

      reader.stop();
      owner.stop();
    },

    "a plain listener is not a follower": async ({ repository, other, patienceMs }) => {
      await beginOwned(repository, "s");
      const owner = listen(repository, "s");
      const listener = listen(other, "s");

      await actUntilHeard(owner, isChange, patienceMs, (attempt) =>
        other.post("s", posted(`p${attempt}`)),
      );

      assert.deepEqual(owner.heard.filter(isFollowed), []);
      owner.stop();
      listener.stop();
    },

    "a frame of an old epoch is dropped": async ({ repository, other, patienceMs }) => {
      const old = await beginOwned(repository, "s");
      const next = await own(other, "s");
      const reader = listen(repository, "s", { isLive: true });

      await actUntilHeard(reader, isLive, patienceMs, (attempt) => {
        send(repository, old.lease, frame(old.lease.epoch, attempt));
        send(other, next.lease, frame(next.lease.epoch, attempt));
      });

      const epochs = new Set(framesIn(reader.heard).map(({ epoch }) => epoch));
      assert.deepEqual([...epochs], [next.lease.epoch]);
      reader.stop();
    },

    "a frame without followers, or of an unknown session, causes no failure": async ({
      repository,
    }) => {
      const { lease } = await beginOwned(repository, "s");

      send(repository, lease, frame(lease.epoch, 1));
      send(repository, { ...lease, sessionId: "none" }, frame(lease.epoch, 1));
      await repository.delete("s");
      send(repository, lease, frame(lease.epoch, 1));
    },
  },
};
