/** Signs a model's thinking, and verifies its own signatures. */
import { invalid } from "./errors.ts";
import { Sealer } from "../sealer.ts";
import type { Content } from "./generate-request.ts";
import { isOfModel, responsesOf } from "./generate-request.ts";
import type { ModelTraits } from "./model-traits.ts";

/** For calls of other models, as documented: they disable the check. */
const dummies: readonly string[] = [
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
];

export class Signatures {
  readonly #trustsForeign: boolean;
  readonly #sealer = new Sealer();

  constructor(trustsForeign: boolean) {
    this.#trustsForeign = trustsForeign;
  }

  sign({ version }: ModelTraits): string {
    const sealed = this.#sealer.seal({ generation: generationOf(version) });
    return Buffer.from(sealed).toString("base64");
  }

  /** Throws a `Refusal`. */
  check(contents: readonly Content[], traits: ModelTraits): void {
    const signed = contents.flatMap(({ parts = [] }) => parts.map((part) => part.thoughtSignature));
    for (const signature of signed) {
      if (signature !== undefined && !this.#isGood(signature, traits)) {
        throw invalid("Corrupted thought signature.");
      }
    }
    if (traits.needsSignatures) checkCalls(contents);
  }

  /** Signatures of another generation are invalid. Accepts either alphabet of base64. */
  #isGood(signature: string, { version }: ModelTraits): boolean {
    if (this.#trustsForeign || dummies.includes(signature)) return true;
    const opened = this.#sealer.open(Buffer.from(signature, "base64").toString());
    return opened?.["generation"] === generationOf(version);
  }
}

function generationOf(version: number): number {
  return Math.floor(version / 100);
}

/** In every step since the user's last message, the first call must have its signature. */
function checkCalls(contents: readonly Content[]): void {
  const spoken = contents.findLastIndex(
    (content) => !isOfModel(content) && responsesOf(content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    if (index < spoken || !isOfModel(content)) continue;
    const first = content.parts?.find((part) => part.functionCall !== undefined);
    if (first === undefined || first.thoughtSignature) continue;
    throw invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall?.name ?? ""}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    );
  }
}
