import type { JsonValue } from "@capstan/kernel";
import { callTool, reply, say, think } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { askOpenAi } from "./exchange.ts";
import type { Answer } from "./exchange.ts";
import { echo, output, user } from "./openai-request.ts";

type Item = Readonly<Record<string, JsonValue>>;

const ask = {
  model: "gpt-5.5",
  input: [user],
  tools: [echo],
  include: ["reasoning.encrypted_content"],
};
const stateless = { ...ask, store: false };
const thought = reply(think("Hm."), callTool("echo", {}, { id: "call_1" }));

async function start(body: typeof ask & { readonly store?: boolean } = stateless) {
  const emulator = await openAiResponsesEmulator([thought, say("ok")]);
  const first = await askOpenAi(emulator, body);
  const [reasoning = {}, call = {}] = itemsOf(first);
  const send = (input: readonly JsonValue[], more: Item = {}): Promise<Answer> =>
    askOpenAi(emulator, { ...body, input, ...more });
  return { emulator, first, reasoning, call, send, [Symbol.asyncDispose]: () => emulator.close() };
}

function itemsOf({ json }: Answer): readonly Item[] {
  return json["output"] as readonly Item[];
}

function without(item: Item, ...keys: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)));
}

function idOf({ id = null }: Item): string {
  return typeof id === "string" ? id : "";
}

function reference({ id = null }: Item): Item {
  return { type: "item_reference", id };
}

function next({ first }: { readonly first: Answer }): Item {
  return { previous_response_id: String(first.json["id"]) };
}

function messageOf({ json }: Answer): unknown {
  return (json["error"] as { readonly message?: unknown } | undefined)?.message;
}

test("reasoning goes back with what came of it", async () => {
  await using world = await start();
  const { reasoning, call, send } = world;

  const answer = await send([user, reasoning, call, output()]);

  expect(answer.status).toBe(200);
});

test("neither may go back without the other, while both say who they are", async () => {
  await using world = await start();
  const { reasoning, call, send } = world;
  const rs = idOf(reasoning);

  const alone = await send([user, reasoning]);
  const parted = await send([user, reasoning, user]);
  const orphan = await send([user, call, output()]);
  const nameless = await send([user, without(call, "id"), output()]);

  const following = `Item '${rs}' of type 'reasoning' was provided without its required following item.`;
  expect(messageOf(alone)).toBe(following);
  expect(messageOf(parted)).toBe(following);
  expect(messageOf(orphan)).toBe(
    `Item '${idOf(call)}' of type 'function_call' was provided without its required 'reasoning' item: '${rs}'.`,
  );
  expect(nameless.status).toBe(200);
});

test("every item of a reply needs the reasoning before it", async () => {
  await using emulator = await openAiResponsesEmulator([
    reply(think("Hm."), say("Well."), callTool("echo", {}, { id: "call_1" })),
    say("ok"),
  ]);
  const [reasoning = {}, message = {}, call = {}] = itemsOf(await askOpenAi(emulator, stateless));
  const send = (...input: readonly JsonValue[]) => askOpenAi(emulator, { ...stateless, input });

  const gap = await send(user, reasoning, call, output());
  const between = await send(user, reasoning, message, user, call, output());
  const whole = await send(user, reasoning, message, call, output());

  expect(messageOf(gap)).toContain("without its required following item");
  expect(messageOf(between)).toContain(
    "of type 'function_call' was provided without its required 'reasoning'",
  );
  expect(whole.status).toBe(200);
});

test("what was not kept cannot be looked up", async () => {
  await using world = await start();
  const { reasoning, call, send } = world;
  const rs = idOf(reasoning);

  const bare = await send([user, without(reasoning, "encrypted_content"), call, output()]);
  const reference = await send([user, { type: "item_reference", id: rs }, call, output()]);
  const unknown = await send([user, { type: "item_reference", id: "rs_other" }]);

  const lost = `Item with id '${rs}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  expect([bare.status, messageOf(bare)]).toEqual([404, lost]);
  expect([reference.status, messageOf(reference)]).toEqual([404, lost]);
  expect(messageOf(unknown)).toBe("Item with id 'rs_other' not found.");
});

test("what was kept can be, by its id alone", async () => {
  await using world = await start(ask);
  const { reasoning, call, send } = world;

  const answer = await send([user, reference(reasoning), reference(call), output()]);

  expect(answer.status).toBe(200);
});

test("encrypted reasoning is of this service, of this item, and not a draft", async () => {
  await using world = await start();
  const { reasoning, call, send } = world;
  await using elsewhere = await start();
  const verify = (changed: Item) => send([user, { ...reasoning, ...changed }, call, output()]);

  const forged = await verify({ encrypted_content: "gAAAAABforged" });
  const foreign = await verify({
    encrypted_content: elsewhere.reasoning["encrypted_content"] ?? null,
  });
  const renamed = await verify({ id: "rs_other" });

  const rs = idOf(reasoning);
  const unreadable = `The encrypted content for item ${rs} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  expect(forged.json).toMatchObject({
    error: { code: "invalid_encrypted_content", message: unreadable },
  });
  expect(messageOf(foreign)).toBe(unreadable);
  expect(messageOf(renamed)).toContain(
    "Encrypted content item_id did not match the target item id.",
  );
});

test("a stream gives encrypted reasoning with the end of its item; what stands at the beginning is worth nothing", async () => {
  await using emulator = await openAiResponsesEmulator([thought, say("ok")]);
  const { text } = await askOpenAi(emulator, { ...stateless, stream: true });
  const items = [...text.matchAll(/^data: (.*"type":"response.output_item.*)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as { readonly item: Item },
  );
  const [added, done, , call] = items.map(({ item }) => item);

  const early = await askOpenAi(emulator, { ...stateless, input: [user, added, call, output()] });
  const late = await askOpenAi(emulator, { ...stateless, input: [user, done, call, output()] });

  expect(messageOf(early)).toContain("could not be decrypted or parsed");
  expect(late.status).toBe(200);
});

test("a response goes on from one that was kept, and from no other", async () => {
  await using kept = await start(ask);
  await using lost = await start();

  const open = await kept.send([user], next(kept));
  const again = await kept.send([kept.call, output()], next(kept));
  const gone = await lost.send([output()], next(lost));
  const good = await kept.send([output()], next(kept));

  expect(messageOf(open)).toBe("No tool output found for function call call_1.");
  expect(messageOf(again)).toContain(`Duplicate item found with id ${idOf(kept.call)}`);
  expect(gone.json).toMatchObject({
    error: { code: "previous_response_not_found", param: "previous_response_id" },
  });
  expect(good.status).toBe(200);
});
