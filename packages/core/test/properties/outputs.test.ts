import type { ToolContent, ToolContract, ToolMessage } from "@capstan/kernel";
import { callTool, reply, say, tinyImage } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

/** Short and long ones, with lines and without, with characters of two units and with halves of them. */
const anyText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom("a", "\n", "word ", "😀", "é", "\r\n"), { maxLength: 12 }),
    fc.constantFrom("", "\ud83d", "\ude00"),
    fc.integer({ min: 1, max: 300 }),
  )
  .map(([pieces, half, times]) => `x${(pieces.join("") + half).repeat(times)}`);

const anyContent: fc.Arbitrary<ToolContent> = fc.oneof(
  anyText,
  fc.array(
    fc.oneof(
      anyText.map((text) => ({ type: "text", text }) as const),
      fc.constant(tinyImage),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
);

const anySteps = fc.array(fc.array(anyContent, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

const anyLimits = fc.record({
  maxChars: fc.integer({ min: 0, max: 2_000 }),
  maxTotalChars: fc.integer({ min: 0, max: 4_000 }),
});

interface Played {
  readonly world: World;
  /** What each call has given, by its id. */
  readonly given: ReadonlyMap<string, ToolContent>;
}

async function play(
  steps: readonly (readonly ToolContent[])[],
  outputs: object,
  ephemeral: number | undefined,
): Promise<Played> {
  const given = new Map<string, ToolContent>();
  const queue = steps.flat();
  const look: ToolContract & { ephemeral?: number } = {
    name: "look",
    description: "Looks around",
    inputSchema: { type: "object" },
    effect: "pure",
    execution: "sequential",
    ...(ephemeral !== undefined && { ephemeral }),
    execute: (_: never, { toolCallId }) => {
      const content = queue.shift() ?? "";
      given.set(toolCallId, content);
      return content;
    },
  };
  const replies = steps.map((contents) => reply(...contents.map(() => callTool("look"))));
  const world = createWorld([...replies, say("Done")], [look], { outputs });
  const session = world.host().createSession({ agent: "helper", id: "s" });
  const { status } = await session.send("Look").response;
  expect(status).toBe("completed");
  return { world, given };
}

const toolMessages = (world: World, request: number): readonly ToolMessage[] =>
  (world.provider.requests[request]?.messages ?? []).filter(
    ({ role }) => role === "tool",
  ) as ToolMessage[];

const isLeftOut = ({ content }: ToolMessage): boolean =>
  typeof content === "string" && content.startsWith("(This output is left out");

test("every reference gives back exactly what the tool gave, in every process and in every copy", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, anyLimits, async (steps, outputs) => {
      const { world, given } = await play(steps, outputs, undefined);

      const session = await world.host().open("s");
      const copies = [session, await session.fork()];
      for (const copy of copies) {
        for (const [id, content] of given) expect(await copy.readOutput(id)).toEqual(content);
      }
    }),
    { numRuns },
  );
}, 600_000);

test("what is shown of sound text is sound text, and no longer than the limit and its note", async () => {
  const soundSteps = anySteps.filter(
    (steps) => JSON.stringify(steps).isWellFormed() && !JSON.stringify(steps).includes("\\ud"),
  );
  await fc.assert(
    fc.asyncProperty(soundSteps, anyLimits, async (steps, outputs) => {
      const { world } = await play(steps, outputs, undefined);

      for (const { content } of toolMessages(world, steps.length)) {
        const texts =
          typeof content === "string"
            ? [content]
            : content.flatMap((part) => (part.type === "text" ? part.text : []));
        expect(texts.every((text) => text.isWellFormed())).toBe(true);
        expect(texts.join("").length).toBeLessThanOrEqual(
          Math.max(outputs.maxChars, outputs.maxChars / 2 + 400),
        );
      }
    }),
    { numRuns },
  );
}, 600_000);

test("nothing is left out that the model has not seen, and what was left out stays so", async () => {
  await fc.assert(
    fc.asyncProperty(
      anySteps,
      anyLimits,
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      async (steps, outputs, ephemeral) => {
        const { world } = await play(steps, outputs, ephemeral);

        let seen = new Set<string>();
        let leftOut = new Set<string>();
        for (let request = 0; request <= steps.length; request++) {
          const messages = toolMessages(world, request);
          const gone = new Set(messages.filter(isLeftOut).map(({ toolCallId }) => toolCallId));
          expect([...gone].filter((id) => !seen.has(id))).toEqual([]);
          expect([...leftOut].filter((id) => !gone.has(id))).toEqual([]);
          seen = new Set(messages.map(({ toolCallId }) => toolCallId));
          leftOut = gone;
        }
      },
    ),
    { numRuns },
  );
}, 600_000);
