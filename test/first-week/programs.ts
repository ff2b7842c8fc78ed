/**
 * The programs of this folder, as a newcomer writes them in the first week, and the output of each. A node:test file: pack-smoke runs a copy of the
 * folder in a project that has the packed packages; `node --conditions=@capstan/source test/first-week/programs.ts` runs it on the sources.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { callTool, reply, say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { emptyFolder, toLines } from "./running.ts";

const unknownOutcome = /^(pay|refund): "The outcome is unknown/;

const programs: Readonly<Record<string, (context: TestContext) => Promise<void>>> = {
  "a: three tools are called, and the answer is streamed": async (context) => {
    const lines = await emptyFolder(context).run("a-three-tools.ts");

    assert.deepEqual(lines, [
      "Let me look.",
      '> weather {"city":"Oslo"}',
      '< weather "Rain in Oslo"',
      '> clock {"city":"Oslo"}',
      '< clock "{\\"city\\":\\"Oslo\\",\\"time\\":\\"17:30\\"}"',
      '> book {"restaurant":"Lofoten","people":2}',
      '< book "Booked Lofoten for 2"',
      "Take an umbrella; your table is ready.",
    ]);
  },

  "b: a chat that is killed while it pays continues with the next message, and pays once": async (
    context,
  ) => {
    const { start, run, lines } = emptyFolder(context);
    const paying = start("b-durable-chat.ts", "Pay the bill", "600000");
    await paying.printed("the bank is at work");
    await paying.kill();

    const [answer, result = ""] = await run("b-durable-chat.ts", "What happened?");

    assert.equal(answer, "You have said 2 things.");
    assert.match(result, unknownOutcome);
    assert.deepEqual(lines("bank.txt"), ["paid"]);
  },

  "b: an idempotent tool whose process was killed runs again, with the same key": async (
    context,
  ) => {
    const { start, run, lines } = emptyFolder(context);
    const reserving = start("b-durable-chat.ts", "Reserve the amount", "600000");
    await reserving.printed("the bank is at work");
    await reserving.kill();

    const printed = await run("b-durable-chat.ts", "What happened?");

    assert.equal(printed.at(-1), 'reserve: "The bank confirms."');
    const [first, second, ...others] = lines("bank.txt");
    assert.equal(second, first);
    assert.deepEqual(others, []);
  },

  "c: a call that one process asks about is approved in another": async (context) => {
    const { run } = emptyFolder(context);

    assert.match((await run("c-approval.ts", "ask")).join(), /^awaiting_tool_execution \S+$/);
    assert.deepEqual(await run("c-approval.ts", "approve"), [
      'approve transfer {"to":"Ada","amount":500}',
      "transferred 500 to Ada",
      "As you wish.",
    ]);
    assert.deepEqual(await run("c-approval.ts", "approve"), []);
  },

  "c: a call that is denied in another process does not run": async (context) => {
    const { run } = emptyFolder(context);

    await run("c-approval.ts", "ask");

    assert.deepEqual(await run("c-approval.ts", "deny"), [
      'deny transfer {"to":"Ada","amount":500}',
      "As you wish.",
    ]);
  },

  "c: a call that a process has not looked at is not approved by its id alone": async (context) => {
    const { run } = emptyFolder(context);
    const [, id = ""] = (await run("c-approval.ts", "ask")).join().split(" ");

    const [refusal = ""] = await run("c-approval.ts", "approve", id);

    assert.match(refusal, /^not_shown /);
    assert.match((await run("c-approval.ts", "approve")).join(), /transferred 500 to Ada/);
  },

  "d: a client that is cut off for a second sees everything once, and runs its tool once": async (
    context,
  ) => {
    const lines = await emptyFolder(context).run("d-lent-tool.ts");

    assert.deepEqual(lines, [
      '"Which file? "',
      "picking a file",
      "picked bill.pdf",
      '"It "',
      '"is "',
      '"a "',
      '"bill."',
      "completed It is a bill.",
      "connections were refused",
    ]);
  },

  "e: answers are values of their schemas, and the vendor is sent both schemas": async (
    context,
  ) => {
    const [trip, primes, ...requests] = await emptyFolder(context).run("e-typed-output.ts");

    assert.equal(trip, "completed 72");
    assert.equal(primes, "completed 10");
    assert.equal(requests.length, 2);
    for (const request of requests) assert.match(request, /"type":"json_schema".*"strict":true/);
    assert.match(requests[1] ?? "", /"type":"array"/);
  },

  "f: a provider of one's own streams, calls tools, counts tokens, and is retried": async (
    context,
  ) => {
    const lines = await emptyFolder(context).run("f-own-provider.ts");

    assert.deepEqual(lines, [
      "again: overloaded",
      "A winch ",
      "for ropes.",
      "50 12 key-of-parley key-of-parley key-of-parley",
    ]);
  },

  "g: a store of one's own passes the contract suite": async (context) => {
    const lines = await emptyFolder(context).run("g-own-store.ts");

    // The suite has more than 150 tests; some need a store that several processes can open.
    assert.ok(lines.includes("ℹ fail 0"));
    assert.match(lines.find((line) => line.includes("ℹ pass")) ?? "", /pass 1\d\d$/);
  },

  "h: tests of one's own agent run in vitest": async (context) => {
    const { runVitest } = emptyFolder(context);

    const { code, stdout, stderr } = await runVitest("h-own-tests");

    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Tests .*2 passed/);
  },

  "j: one trace shows two tools, a nested agent and a query, each where it belongs": async (
    context,
  ) => {
    const lines = await emptyFolder(context).run("j-traces.ts");

    assert.deepEqual(lines, [
      "There are seven, and none was cancelled.",
      "invoke_agent chief",
      "  chat large (scripted overloaded)",
      "  chat large",
      "  execute_tool cancel (kaput)",
      "  execute_tool clerk",
      "    invoke_agent clerk",
      "      chat small",
      "      execute_tool count",
      "        SELECT count(*)",
      "      chat small",
      "  chat large",
    ]);
  },

  "k: a model of the AI SDK streams, calls tools and counts tokens": async (context) => {
    const { code, stdout, stderr } = await emptyFolder(context).start("k-ai-sdk-model.ts").ended;

    assert.equal(code, 0);
    assert.match(stderr, /context window of the model "mock-provider\/house-1" is unknown/);
    const [first, second, counts, result] = toLines(stdout);
    assert.deepEqual([first, second, counts], ["28 ", "degrees.", "20 2"]);
    assert.match(result ?? "", /"tool-result".*"weather".*28/);
  },

  "l: a fallback has its own key and its own price, and a spent budget is no answer": async (
    context,
  ) => {
    const lines = await emptyFolder(context).run("l-budget-and-fallback.ts");

    assert.deepEqual(lines.slice(0, 4), [
      "Here I am.",
      "anthropic/claude-opus-5 undefined, openai/gpt-5-mini 0.25",
      "From the second host.",
      "Bearer secret-of-host-b",
    ]);
    assert.match(lines[4] ?? "", /gave no answer: a budget was used up/);
  },

  "m: a server answers inside Hono, Express and Next.js, and pages of other sites are refused":
    async (context) => {
      assert.deepEqual(await emptyFolder(context).run("m-mounted.ts"), [
        "completed Hello, Hono",
        "completed Hello, Express",
        "completed Hello, Next",
        "403",
      ]);
    },

  "n: a process follows the turn of another on PostgreSQL, and takes it over when that is killed":
    async (context) => {
      if (process.env["DATABASE_URL"] === undefined)
        return context.skip("there is no DATABASE_URL");
      const { start } = emptyFolder(context);
      const follower = start("n-two-processes.ts", "follow");
      await follower.printed("following");
      const worker = start("n-two-processes.ts", "work", "600000");
      await worker.printed("work digs");
      await follower.printed("I dig.");

      await worker.kill();

      const { code, stdout, stderr } = await follower.ended;
      assert.equal(stderr, "");
      assert.equal(code, 0);
      const called = '{"type":"tool_call","id":"…","name":"dig","input":{}}';
      assert.deepEqual(toLines(stdout.replace(/"id":"[^"]+"/, '"id":"…"')), [
        "following",
        'user "Dig"',
        `assistant [{"type":"text","text":"I dig."},${called}]`,
        "follow digs",
        'tool "Found gold."',
        'assistant [{"type":"text","text":"Good news: follow found gold."}]',
      ]);
    },

  "refunds: a refund that is approved in another process and killed there happens once": async (
    context,
  ) => {
    const claude = await anthropicEmulator([
      reply(say("Let me look."), callTool("find_order", { order: "A-17" })),
      callTool("refund", { order: "A-17", amount: 250 }),
      say("I do not know whether it was refunded."),
      say("Please look at your account."),
    ]);
    context.after(() => claude.close());
    const keys = { ANTHROPIC_BASE_URL: claude.url, ANTHROPIC_API_KEY: "any" };
    const patient = emptyFolder(context, { ...keys, BANK_MS: "600000" });

    const asked = await patient.run("refunds.ts", "send", "Refund my order A-17");
    assert.deepEqual(asked, ["Let me look.refund { order: 'A-17', amount: 250 }"]);

    const approving = patient.start("refunds.ts", "approve");
    await approving.printed("the bank is at work");
    await approving.kill();
    const answered = await patient.run("refunds.ts", "send", "What happened?");

    assert.deepEqual(answered, ["Please look at your account."]);
    assert.deepEqual(patient.lines("refunds.txt"), ["A-17 250"]);
    claude.assertComplete();
  },

  "refunds: the whole program is at most 38 lines, not counting blank ones": async () => {
    const program = readFileSync(join(import.meta.dirname, "refunds.ts"), "utf8");

    assert.ok(toLines(program).length <= 38);
  },
};

await test("the programs of a first week", { concurrency: 2 }, async (suite) => {
  await Promise.all(
    Object.entries(programs).map(([sentence, program]) =>
      suite.test(sentence, { timeout: 60_000 }, program),
    ),
  );
});
