/** A turn whose store has no disk space left. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, createHost } from "@capstan/core";
import { callTool, checkTranscript, echoTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { failureOf } from "../failure-of.ts";
import { localKinds, openStore } from "../open-store.ts";
import { readAll } from "../samples.ts";
import { smallDisk } from "../small-disk.ts";

test.for([...localKinds])(
  "%s: a turn on a full disk stops, can be read, and comes to its end by itself when there is room",
  async (kind, { skip }) => {
    const mounted = smallDisk();
    if (typeof mounted === "string") skip(mounted);
    using disk = typeof mounted === "string" ? undefined : mounted;
    if (disk === undefined) throw new Error("skipped");
    await using store = openStore(kind, disk.path);
    const filler = join(disk.path, "filler");
    const filled = Promise.withResolvers<void>();
    const model = scriptedProvider([callTool("fill"), callTool("echo"), say("Done.")]);
    const fill = {
      ...echoTool({ name: "fill" }),
      execute: () => {
        fillDisk(filler);
        filled.resolve();
        return "x".repeat(50_000);
      },
    };
    const agent = createAgent({ name: "helper", model, tools: [fill, echoTool()] });
    const host = createHost({ agents: [agent], repository: store, pollMs: 20, leaseMs: 300 });
    const session = host.createSession({ agent: "helper", id: "s" });

    const turn = session.send("Go");
    await filled.promise;
    const failure = await failureOf(() => session.steer("x".repeat(50_000)));
    const whileFull = await readAll(store, "s");
    rmSync(filler);
    const response = await turn.response;
    await host.close();

    expect(failure).toMatchObject({ code: "unavailable" });
    expect(String(failure)).toMatch(/full/);
    expect(whileFull.map(({ type }) => type)).not.toContain("turn_ended");
    expect(response).toMatchObject({ status: "completed", text: "Done." });
    const entries = await readAll(store, "s");
    expect(entries.slice(0, whileFull.length)).toEqual(whileFull);
    expect(checkTranscript(session.messages)).toEqual([]);
  },
);

/** To the last byte. */
function fillDisk(path: string): void {
  for (let size = 4_000_000; size > 0; size = Math.floor(size / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // Truncated to the available space.
    }
  }
}
