import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDesk, secretKey } from "./desk.ts";
import { protocols } from "./protocols.ts";
import {
  allowed,
  answer,
  check,
  close,
  find,
  fix,
  fixed,
  look,
  plan,
  prompt,
  tell,
} from "./task.ts";

const original = await readFile(join(import.meta.dirname, "project/src/basket.js"), "utf8");

describe.each(protocols)("over $name", (protocol) => {
  test("a bug is found, fixed and tested; the service is told what it has to know, and the user what was done", async () => {
    const desk = await openDesk(protocol, [plan, find, look, fix, check, close, tell]);
    const before = await desk.list();

    const command = desk.capstan(...allowed, prompt);
    const { exitCode } = await command.ended;
    const bodies = desk.service.requests.map(({ body }) => JSON.stringify(body));

    expect(command.stderr()).not.toContain("failed");
    expect(exitCode).toBe(0);
    expect(command.stdout()).toBe(`I look for it first.\n\n${answer}\n`);
    expect(await desk.read("src/basket.js")).toBe(fixed(original));
    expect(await desk.read("runs.log")).toBe("run\n");
    expect(await desk.list()).toEqual([...before, "runs.log"].toSorted());
    expect(desk.service.refusals).toEqual([]);
    expect(() => desk.service.assertComplete()).not.toThrow();

    expect(bodies[0]).toContain("Find the bug and fix it");
    expect(bodies[0]).toContain("Prices are in cents. Do not round them.");
    expect(bodies[2]).toContain("src/basket.js:2");
    expect(bodies[3]).toContain("for (let i = 1;");
    expect(bodies[4]).toContain("Replaced 1 passage in src/basket.js.");
    expect(bodies[5]).toMatch(/pass 1\b.*fail 0\b/s);
    expect(bodies[6]).toContain("[x] Run the test");
    expect(command.stdout() + command.stderr() + bodies.join("")).not.toContain(secretKey);

    expect(command.stderr()).toMatch(
      new RegExp(`^capstan: using ${protocol.model}, because it was requested\n`),
    );
    expect(command.stderr()).toContain("Find the bug");
    expect(command.stderr()).toMatch(/edit src\/basket\.js.*\n.*\+1 .1/);
    expect(command.stderr()).toMatch(/bash node --test/);
    expect(command.stderr()).toMatch(/\$0\.\d+/);
  });
});
