import { spawn } from "node:child_process";
import { once } from "node:events";
import { platform } from "node:os";
import { expect, test } from "vitest";
import { fateOf, ownIdentity } from "../src/watch/process-identity.ts";

function identityWith(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...JSON.parse(ownIdentity()), ...fields });
}

test("this process is alive", () => {
  expect(fateOf(ownIdentity())).toBe("alive");
});

test("a process that has ended is dead", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "close");

  expect(fateOf(identityWith({ pid: child.pid }))).toBe("dead");
});

test("a pid that was given again is not the process that had it", ({ skip }) => {
  if (platform() !== "linux") skip("only Linux tells when a process started");

  expect(fateOf(identityWith({ start: "1" }))).toBe("dead");
  expect(fateOf(identityWith({ pid: process.ppid, start: "1" }))).toBe("dead");
});

test("the fate of a process of another machine, another boot or another container is unknown", () => {
  expect(fateOf(identityWith({ place: "elsewhere", pid: 999_999_999 }))).toBe("unknown");
});

test.each(["", "null", "{}", "[]", "not JSON", '{"pid":"x"}'])(
  "the fate of an invalid identity is unknown: %s",
  (text) => {
    expect(fateOf(text)).toBe("unknown");
  },
);
