import { manualClock, sequentialIds } from "@capstan/testing";
import { expect, test } from "vitest";

test("time moves only when it is told to", async () => {
  const clock = manualClock(1_000);

  await clock.advance(250);

  expect(clock.now()).toBe(1_250);
});

test("timers fire in the order in which they are due, each at its own time", async () => {
  const clock = manualClock();
  const fired: string[] = [];
  clock.timer(20, () => fired.push(`late at ${clock.now()}`));
  clock.timer(10, () => fired.push(`first at ${clock.now()}`));
  clock.timer(10, () => fired.push(`second at ${clock.now()}`));
  clock.timer(21, () => fired.push("not yet"));

  await clock.advance(20);

  expect(fired).toEqual(["first at 10", "second at 10", "late at 20"]);
  expect(clock.pending()).toBe(1);
});

test("a cancelled timer does not fire", async () => {
  const clock = manualClock();
  const fired: string[] = [];
  const cancel = clock.timer(10, () => fired.push("fired"));

  cancel();
  await clock.advance(10);

  expect(fired).toEqual([]);
  expect(clock.pending()).toBe(0);
});

test("a timer that a timer or a promise arms in time fires in the same advance", async () => {
  const clock = manualClock();
  const fired: number[] = [];
  const note = (): void => {
    fired.push(clock.now());
  };
  clock.timer(10, () => {
    clock.timer(5, note);
    void Promise.resolve().then(() => clock.timer(7, note));
  });

  await clock.advance(20);

  expect(fired).toEqual([15, 17]);
});

test("advancing by nothing lets promises settle and fires what is due at once", async () => {
  const clock = manualClock();
  const seen: string[] = [];
  void (async () => {
    await Promise.resolve();
    await Promise.resolve();
    seen.push("promise");
    clock.timer(0, () => seen.push("timer"));
  })();

  await clock.advance(0);

  expect(seen).toEqual(["promise", "timer"]);
  expect(clock.now()).toBe(0);
});

test("the next timer can be reached without knowing when it is due", async () => {
  const clock = manualClock();
  const fired: number[] = [];
  clock.timer(300, () => fired.push(clock.now()));

  const reached = await clock.advanceToNext();
  const again = await clock.advanceToNext();

  expect([reached, again]).toEqual([true, false]);
  expect(fired).toEqual([300]);
});

test("a clock runs until a promise has settled, however many timers that takes", async () => {
  const clock = manualClock();
  const slow = async (): Promise<string> => {
    await new Promise<void>((resolve) => clock.timer(1_000, resolve));
    await new Promise<void>((resolve) => clock.timer(2_000, resolve));
    return "done";
  };

  const value = await clock.runUntil(slow());

  expect(value).toBe("done");
  expect(clock.now()).toBe(3_000);
});

test("a promise that nothing can settle any more is an error", async () => {
  const running = manualClock().runUntil(new Promise(() => {}));

  await expect(running).rejects.toThrow("no timer is left");
});

test("a promise that fails fails the run", async () => {
  const running = manualClock().runUntil(Promise.reject(new Error("lost")));

  await expect(running).rejects.toThrow("lost");
});

test("a timer that arms itself again at once is an error, not an endless loop", async () => {
  const clock = manualClock();
  const rearm = (): void => {
    clock.timer(0, rearm);
  };
  rearm();

  await expect(clock.advance(1)).rejects.toThrow("one of them re-arms itself at once");
});

test("ids count from one", () => {
  const newId = sequentialIds("m");

  const ids = [newId(), newId()];

  expect(ids).toEqual(["m-1", "m-2"]);
});
