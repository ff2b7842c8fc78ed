/** `capstan mcp`, and what the doctor says about servers. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../src/process/run.ts";
import type { MemoryIo } from "./memory-io.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { jsonLines } from "./scripted-io.ts";

const bank = join(import.meta.dirname, "../../../examples/mcp-server/bank.ts");

async function capstan(home: string, ...argv: readonly string[]): Promise<[number, MemoryIo]> {
  const io = memoryIo({ home });
  return [await run(argv, io), io];
}

test("A server is added, listed, tested and removed", async () => {
  const home = await temporaryFolder();
  expect((await capstan(home, "mcp", "add", "bank", "--", process.execPath, bank))[0]).toBe(0);
  expect((await capstan(home, "mcp", "add", "bank", "http://localhost:1/"))[0]).toBe(2);
  const [, listed] = await capstan(home, "mcp", "list", "--json");
  expect(jsonLines(listed)).toMatchObject([
    { name: "bank", state: "ready", tools: ["bank__transfer"] },
  ]);
  const [code, tested] = await capstan(home, "mcp", "test", "bank");
  expect([code, tested.stdoutText()]).toEqual([0, "bank__transfer\n"]);
  expect((await capstan(home, "mcp", "remove", "bank"))[0]).toBe(0);
  expect((await capstan(home, "mcp", "remove", "bank"))[0]).toBe(2);
  expect((await capstan(home, "mcp", "test", "bank"))[0]).toBe(2);
});

test("A server that does not work is told by list, test and the doctor", async () => {
  const home = await temporaryFolder();
  await capstan(home, "mcp", "add", "gone", "--", join(home, "no-such-program"));
  const [, listed] = await capstan(home, "mcp");
  expect(listed.stdoutText()).toContain("gone: failed, 0 tools");
  const [code, tested] = await capstan(home, "mcp", "test", "gone");
  expect(code).toBe(1);
  expect(tested.stderrText()).toContain('"gone"');
  const [, doctor] = await capstan(home, "doctor");
  expect(doctor.stdoutText()).toContain("fail  MCP server gone:");
});

test("Servers of another client are imported, and those that cannot be are named", async () => {
  const home = await temporaryFolder();
  const file = join(home, "claude_desktop_config.json");
  const servers = {
    bank: { command: process.execPath, args: [bank], alwaysAllow: ["x"] },
    old: { type: "sse", url: "http://localhost:1/sse" },
    "no good": { command: "x" },
    neither: {},
  };
  await writeFile(file, JSON.stringify({ mcpServers: servers }));
  const [code, io] = await capstan(home, "mcp", "import", file);
  expect(code).toBe(0);
  for (const name of ["old", "no good", "neither"]) expect(io.stderrText()).toContain(name);
  const written = JSON.parse(await readFile(join(home, ".config/capstan/config.json"), "utf8"));
  expect(written).toEqual({
    mcp: { servers: { bank: { command: process.execPath, args: [bank] } } },
  });
});

test.each([[["add"]], [["add", "x"]], [["add", "x", "http://a/", "--", "y"]], [["tset", "x"]]])(
  "A wrong use is explained: %j",
  async (words) => {
    const [code, io] = await capstan(await temporaryFolder(), "mcp", ...words);
    expect(code).toBe(2);
    expect(io.stderrText()).toContain("Usage: capstan mcp");
  },
);
