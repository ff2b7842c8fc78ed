import type { JsonValue } from "@capstan/kernel";
import { callTool, reply, say, think } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { echo, newest, plain, result } from "./anthropic-request.ts";
import { askClaude } from "./exchange.ts";
import type { Answer } from "./exchange.ts";

type Body = Readonly<Record<string, JsonValue>>;
type Block = Readonly<Record<string, JsonValue>>;

const hi = { role: "user", content: "Hi" };
const more = { role: "user", content: "And?" };
const budgeted = { ...plain, thinking: { type: "enabled", budget_tokens: 1024 } };
const controls = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const dropping = {
  ...newest,
  thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
};

function contentOf({ json }: Answer): readonly Block[] {
  return json["content"] as readonly Block[];
}

function said(content: readonly JsonValue[]): JsonValue {
  return { role: "assistant", content };
}

/** Thinks twice, in two replies that go back as they came. */
async function converse(body: Body) {
  const emulator = await anthropicEmulator([
    reply(think("First."), say("One.")),
    reply(think("Second."), say("Two.")),
    say("ok"),
  ]);
  const first = contentOf(await askClaude(emulator, { ...body, messages: [hi] }, controls));
  const messages = [hi, said(first), more];
  const second = contentOf(await askClaude(emulator, { ...body, messages }, controls));
  const whole = [...messages, said(second), more];
  return { emulator, first, second, whole, [Symbol.asyncDispose]: () => emulator.close() };
}

describe.each([
  ["an older model", budgeted],
  ["the newest model", newest],
])("thinking of %s", (_, body) => {
  test("goes back as it came", async () => {
    await using world = await converse(body);

    const answer = await askClaude(world.emulator, { ...body, messages: world.whole });

    expect(answer.status).toBe(200);
  });

  test("is refused without a signature, and with one of elsewhere", async () => {
    await using world = await converse(body);
    await using elsewhere = await converse(body);
    const ask = (thought: JsonValue) =>
      askClaude(world.emulator, {
        ...body,
        messages: [hi, said([thought, { type: "text", text: "One." }]), more],
      });

    const bare = await ask({ type: "thinking", thinking: "" });
    const foreign = await ask(elsewhere.first[0] ?? null);
    const forged = await ask({ type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" });
    const redacted = await ask({ type: "redacted_thinking", data: "b3BhcXVl" });

    expect(bare.text).toContain("messages.1.content.0.thinking.signature: Field required");
    expect(foreign.text).toContain(
      'messages.1.content.0: Invalid `signature` in `thinking` block"',
    );
    expect(forged.text).toContain('messages.1.content.0: Invalid `signature` in `thinking` block"');
    expect(redacted.text).toContain("Invalid `data` in `redacted_thinking` block");
  });

  test("is refused with other words than it had", async () => {
    await using world = await converse(body);
    const changed = { ...world.second[0], thinking: "Changed." };
    const messages = [
      ...world.whole.slice(0, 3),
      said([changed, { type: "text", text: "Two." }]),
      more,
    ];

    const answer = await askClaude(world.emulator, { ...body, messages });

    expect(answer.text).toContain(
      "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    );
  });

  test("may not be the last thing of a message", async () => {
    await using world = await converse(body);
    const messages = [hi, said(world.first.slice(0, 1)), more];

    const answer = await askClaude(world.emulator, { ...body, messages });

    expect(answer.text).toContain("The final block in an assistant message cannot be `thinking`.");
  });
});

/** Changes to a conversation with thinking, and whether the thinking stays valid. */
const changes: readonly (readonly [string, (whole: readonly JsonValue[]) => Body, boolean])[] = [
  ["nothing", (whole) => ({ messages: whole }), true],
  [
    "another effort and more room",
    (whole) => ({ messages: whole, max_tokens: 9, output_config: { effort: "low" } }),
    true,
  ],
  ["cache markers", (whole) => ({ messages: whole, cache_control: { type: "ephemeral" } }), true],
  [
    "blocks for strings",
    (whole) => ({
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }, ...whole.slice(1)],
    }),
    true,
  ],
  ["another system prompt", (whole) => ({ messages: whole, system: "Be brief" }), false],
  ["another tool", (whole) => ({ messages: whole, tools: [echo] }), false],
  [
    "another first message",
    (whole) => ({ messages: [{ role: "user", content: "Ho" }, ...whole.slice(1)] }),
    false,
  ],
  ["a message put in front", (whole) => ({ messages: [more, ...whole] }), false],
  ["the first turn left out", (whole) => ({ messages: whole.slice(2) }), false],
];

describe.each(changes)("after %s", (_, change, isValid) => {
  test(`thinking of the newest model is ${isValid ? "valid" : "refused"}, and of an older one valid`, async () => {
    await using bound = await converse(newest);
    await using free = await converse(budgeted);

    const strict = await askClaude(bound.emulator, { ...newest, ...change(bound.whole) });
    const lax = await askClaude(free.emulator, {
      ...budgeted,
      ...change(free.whole),
      max_tokens: 2000,
      output_config: {},
    });

    expect(strict.status).toBe(isValid ? 200 : 400);
    expect(strict.text).toContain(
      isValid ? '"ok"' : "The block is bound to a different conversation.",
    );
    expect(lax.status).toBe(200);
  });
});

test("the refusal names the block and how to go on, with the header where it was not sent", async () => {
  await using world = await converse(newest);
  const changed = { ...newest, system: "Be brief", messages: world.whole };

  const bare = await askClaude(world.emulator, changed);
  const told = await askClaude(world.emulator, changed, controls);

  const message =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
  const header =
    " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";
  expect(bare.json).toMatchObject({ error: { message: message + header } });
  expect(told.json).toMatchObject({ error: { message } });
});

test("a request can ask to drop what is bound elsewhere, and is told what was dropped", async () => {
  await using world = await converse(dropping);
  const changed = { ...dropping, system: "Be brief", messages: world.whole };

  const answer = await askClaude(world.emulator, changed, controls);

  const dropped = { type: "thinking_dropped", reason: "prefix_binding_mismatch" };
  expect(answer.json["input_transformations"]).toEqual([
    { ...dropped, path: "messages.1.content.0" },
    { ...dropped, path: "messages.3.content.0" },
  ]);
});

test("thinking may be left out from the beginning on, but not in between", async () => {
  const emulator = await anthropicEmulator(
    [1, 2, 3].map((n) => reply(think(`${n}`), say(`Reply ${n}.`))).concat(say("ok")),
  );
  await using world = { emulator, [Symbol.asyncDispose]: () => emulator.close() };
  const messages: JsonValue[] = [hi];
  const step = async () => {
    const content = contentOf(await askClaude(world.emulator, { ...newest, messages }));
    messages.push(said(content), more);
    return said(content.slice(1));
  };
  const [first, second] = [await step(), await step(), await step()];

  const gap = await askClaude(emulator, { ...newest, messages: messages.with(3, second) });
  const tail = await askClaude(emulator, { ...newest, messages: messages.with(1, first) });

  expect(gap.text).toContain("messages.5.content.0: Invalid `signature`");
  expect(tail.status).toBe(200);
});

test("thinking that a model may not read is dropped without a word, unless the client asks", async () => {
  await using world = await converse(newest);
  const older = { ...plain, model: "claude-opus-5", messages: world.whole.slice(0, 3) };

  const answer = await askClaude(world.emulator, older, controls);

  expect(answer.status).toBe(200);
  expect(answer.json["input_transformations"]).toEqual([
    { type: "thinking_dropped", reason: "model_binding_mismatch", path: "messages.1.content.0" },
  ]);
});

test("a conversation that goes to an older model and back has all its thinking again", async () => {
  await using emulator = await anthropicEmulator([
    reply(think("First."), say("One.")),
    reply(think("Second."), say("Two.")),
    reply(think("Third."), say("Three.")),
    say("ok"),
  ]);
  const messages: JsonValue[] = [hi];
  const ask = async (model: string) => {
    const answer = await askClaude(emulator, { ...newest, model, messages }, controls);
    messages.push(said(contentOf(answer)), more);
    return answer.json["input_transformations"];
  };

  await ask("claude-fable-5-1");
  const older = await ask("claude-opus-5");
  const back = [await ask("claude-fable-5-1"), await ask("claude-fable-5-1")];

  expect(older).toMatchObject([{ reason: "model_binding_mismatch" }]);
  expect(back).toEqual([[], []]);
});

test("thinking is bound to what its own reply said before it", async () => {
  await using emulator = await anthropicEmulator([
    reply(say("Well."), think("Hm."), callTool("echo", {}, { id: "toolu_1" })),
    say("ok"),
  ]);
  const body = { ...newest, tools: [echo] };
  const content = contentOf(await askClaude(emulator, { ...body, messages: [hi] }));
  const results = { role: "user", content: [result()] };

  const cut = await askClaude(emulator, {
    ...body,
    messages: [hi, said(content.slice(1)), results],
  });
  const whole = await askClaude(emulator, { ...body, messages: [hi, said(content), results] });

  expect(cut.text).toContain("bound to a different conversation");
  expect(whole.status).toBe(200);
});
