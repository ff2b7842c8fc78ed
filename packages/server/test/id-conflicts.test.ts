import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld, errorOf } from "./world.ts";

const conflict = { status: 409, code: "id_conflict" };

test("a turn or a message with an id that was used for another text is refused with 409", async () => {
  const world = await createWorld([say("One"), say("Two")]);
  const { sessionId } = await world.execute({ input: "Transfer 5", id: "m1" });
  const path = `/api/agent/session/${sessionId}`;
  await world.post(`${path}/follow-up`, { input: "And 6", id: "m2" });

  const refusals = [
    await errorOf(await world.post("/api/agent/execute", { sessionId, input: "STOP", id: "m1" })),
    await errorOf(await world.post(`${path}/follow-up`, { input: "And 7", id: "m2" })),
    await errorOf(await world.post(`${path}/steer`, { input: "And 6", id: "m1" })),
  ];
  const again = await world.execute({ sessionId, input: "Transfer 5", id: "m1" });

  expect(refusals).toMatchObject([conflict, conflict, conflict]);
  expect(again.complete).toMatchObject({ status: "completed" });
});

test("an id that ends like that of a reply is refused with 400", async () => {
  const world = await createWorld([say("One")]);

  const refusal = await errorOf(
    await world.post("/api/agent/execute", { input: "Hi", id: "chat_1" }),
  );

  expect(refusal).toEqual({ status: 400, code: "invalid_request", paths: ["id"] });
});
