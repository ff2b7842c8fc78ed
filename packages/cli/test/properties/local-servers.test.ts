import type { JsonValue } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ServerAnswers } from "../../src/model/ask-server.ts";
import { localServers } from "../../src/model/local-servers.ts";

const words = [
  "models data name id version owned_by meta n_ctx status value type state capabilities",
  "model_info parameters context_length default_generation_settings llamacpp loaded llm tools",
].flatMap((line) => line.split(" "));

/** JSON that looks like what the servers say, as far as luck has it. */
const { answer } = fc.letrec<{ answer: JsonValue }>((tie) => ({
  answer: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.oneof(fc.constantFrom(...words), fc.integer(), fc.double(), fc.constant(null), fc.boolean()),
    fc.array(tie("answer"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words, "__proto__"), tie("answer"), { maxKeys: 6 }),
  ),
}));

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

test("whatever a server says, it is another one, or has models with names and windows that can be", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(localServers)),
      fc.infiniteStream(fc.option(answer, { nil: undefined })),
      async (list, answers) => {
        const server: ServerAnswers = {
          json: async () => answers.next().value,
          hasAnswered: () => true,
        };

        const models = (await list(server)) ?? [];

        for (const { id, contextWindow = 1 } of models) {
          expect(id).not.toBe("");
          expect(contextWindow).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns },
  );
});
