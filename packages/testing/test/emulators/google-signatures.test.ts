import { callTool, reply, say, think } from "@capstan/testing";
import { googleEmulator } from "@capstan/testing/emulators";
import type { Emulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { askGoogle } from "./exchange.ts";
import { byRule, call, expectRefusal, model, results, saying, user } from "./google-request.ts";
import type { Body, RefusalRow } from "./google-request.ts";

const newest = "gemini-3.5-flash";
const skipped = { thoughtSignature: "skip_thought_signature_validator" };
const signed = call("echo", skipped);
const missing = "Function call is missing a thought_signature in functionCall parts.";

const rows: readonly RefusalRow[] = [
  [
    "a call without its signature",
    saying(user(), model(call()), results("echo")),
    `${missing} This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:echo\` , position 2.`,
    saying(user(), model(signed), results("echo")),
    newest,
  ],
  [
    "a later step without it",
    saying(user(), model(signed), results("echo"), model(call()), results("echo")),
    "position 4.",
    saying(user(), model(signed), results("echo"), model(signed), results("echo")),
    newest,
  ],
  [
    "a signature on the second of two calls",
    saying(user(), model(call(), signed), results("echo", "echo")),
    missing,
    saying(user(), model(signed, call()), results("echo", "echo")),
    newest,
  ],
  [
    "a signature on the text before the call",
    saying(user(), model({ text: "Well", ...skipped }, call()), results("echo")),
    missing,
    saying(user(), model({ text: "Well" }, signed), results("echo")),
    newest,
  ],
  [
    "a signature of elsewhere",
    saying(user(), model(call("echo", { thoughtSignature: "AAAA" })), results("echo")),
    "Corrupted thought signature.",
    saying(
      user(),
      model(call("echo", { thoughtSignature: "context_engineering_is_the_way_to_go" })),
      results("echo"),
    ),
    newest,
  ],
  [
    "a signature of elsewhere on a text, whatever the model",
    saying(user(), model({ text: "Yes", thoughtSignature: "AAAA" }), user()),
    "Corrupted thought signature.",
    saying(user(), model({ text: "Yes" }), user()),
    "gemini-2.5-flash",
  ],
];

describe("Gemini refuses, for signatures,", () => {
  test.each(byRule(rows))("%s", async (_rule, row) => {
    await expectRefusal(row);
  });
});

interface SignedPart {
  readonly functionCall?: Body;
  readonly thoughtSignature?: string;
}

async function ask(emulator: Emulator, body: Body, of = newest) {
  const { status, json } = await askGoogle(emulator, body, { model: of });
  const { candidates } = json as { candidates?: readonly { content: { parts: SignedPart[] } }[] };
  return { status, parts: candidates?.[0]?.content.parts ?? [] };
}

test("earlier turns may lack signatures, as may models that never had them to", async () => {
  await using emulator = await googleEmulator([say("ok"), say("ok")]);
  const past = saying(user(), model(call()), results("echo"), model({ text: "Yes" }), user());

  const later = await ask(emulator, past);
  const old = await ask(
    emulator,
    saying(user(), model(call()), results("echo")),
    "gemini-2.5-flash",
  );

  expect([later.status, old.status]).toEqual([200, 200]);
});

test("of parallel calls only the first is signed, and texts are at their end", async () => {
  await using emulator = await googleEmulator([
    reply(say("Well"), callTool("echo"), callTool("echo")),
    say("Done"),
  ]);

  const calling = await ask(emulator, saying(user()));
  const done = await ask(emulator, saying(user()));

  expect(calling.parts.map((part) => "thoughtSignature" in part)).toEqual([false, true, false]);
  expect(done.parts.map((part) => "thoughtSignature" in part)).toEqual([true]);
});

test("the second generation signs only calls that it thought about, and gives no ids", async () => {
  await using emulator = await googleEmulator([
    reply(think("Hm"), callTool("echo")),
    callTool("echo"),
  ]);

  const thoughtful = await ask(emulator, saying(user()), "gemini-2.5-flash");
  const quick = await ask(emulator, saying(user()), "gemini-2.5-flash");

  expect(thoughtful.parts[0]).toHaveProperty("thoughtSignature");
  expect(quick.parts).toEqual([{ functionCall: { name: "echo", args: {} } }]);
});

function again(thoughtSignature: string): Body {
  return saying(user(), model(call("echo", { thoughtSignature })), results("echo"));
}

test("a signature is good for its generation, in either alphabet", async () => {
  await using emulator = await googleEmulator([callTool("echo"), say("ok"), say("ok")]);
  const { parts } = await ask(emulator, saying(user()));
  const signature = parts[0]?.thoughtSignature ?? "";

  const same = await ask(emulator, again(signature));
  const url = await ask(
    emulator,
    again(signature.replaceAll("+", "-").replaceAll("/", "_")),
    "gemini-3.1-pro-preview",
  );
  const other = await ask(emulator, again(signature), "gemini-2.5-flash");

  expect([same.status, url.status, other.status]).toEqual([200, 200, 400]);
});

test("a script may sign, and recorded conversations may be trusted", async () => {
  const scripted = reply(think("Hm", { signature: "QUJD" }), callTool("echo"));
  await using emulator = await googleEmulator([scripted, say("ok")], { trustsForeign: true });

  const { parts } = await ask(emulator, saying(user()));
  const { status } = await ask(
    emulator,
    saying(user(), model(...(parts as Body[])), results("echo")),
  );

  expect(parts[0]?.thoughtSignature).toBe("QUJD");
  expect(status).toBe(200);
});
