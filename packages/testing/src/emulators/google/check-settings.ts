/** Checks that the model accepts the request's settings, apart from contents and tools. */
import { invalid, invalidField } from "./errors.ts";
import { declarationsOf } from "./generate-request.ts";
import type { GenerateRequest, GenerationConfig } from "./generate-request.ts";
import { checkJsonSchema, checkSchema } from "./check-schema.ts";
import type { ModelTraits } from "./model-traits.ts";

export function checkSettings(request: GenerateRequest, traits: ModelTraits): void {
  const { generationConfig: config = {} } = request;
  checkRanges(config, traits);
  checkThinking(config, traits);
  checkFormat(request, config, traits);
}

const prefix = "generation_config";

function checkRanges(config: GenerationConfig, { maxOutputTokens: most }: ModelTraits): void {
  const { temperature = 1, topP = 1, maxOutputTokens = 1, stopSequences = [] } = config;
  if (temperature < 0 || temperature > 2) {
    throw invalidField(`${prefix}.temperature`, "temperature must be in the range [0.0, 2.0].");
  }
  if (topP < 0 || topP > 1) {
    throw invalidField(`${prefix}.top_p`, "top_p must be in the range [0.0, 1.0].");
  }
  if (maxOutputTokens < 1 || maxOutputTokens > most) {
    throw invalid(
      `Unable to submit request because it has a maxOutputTokens value of ${maxOutputTokens} but the supported range is from 1 (inclusive) to ${most + 1} (exclusive). Update the value and try again.`,
    );
  }
  if (stopSequences.length > 5) {
    throw invalidField(`${prefix}.stop_sequences`, "only up to 5 stop sequences are supported.");
  }
}

function checkThinking({ thinkingConfig = {} }: GenerationConfig, traits: ModelTraits): void {
  const { thinkingBudget: budget, thinkingLevel: level } = thinkingConfig;
  if (budget !== undefined && level !== undefined) {
    throw invalid("You can only set only one of thinking budget and thinking level.");
  }
  if (level !== undefined) checkLevel(level, traits);
  if (budget !== undefined) checkBudget(budget, traits);
}

function checkLevel(level: string, { levels }: ModelTraits): void {
  if (levels.length === 0) throw invalid("Thinking level is not supported for this model.");
  if (levels.includes(level)) return;
  throw invalid(
    `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
  );
}

/** -1 lets the model choose. */
function checkBudget(given: number, { budget, canRest }: ModelTraits): void {
  if (budget === undefined) throw invalid("Thinking budget is not supported for this model.");
  if (given === -1 || (given === 0 && canRest)) return;
  if (given === 0) {
    throw invalid("Budget 0 is invalid. This model only works in thinking mode.");
  }
  const { min, max } = budget;
  if (given >= min && given <= max) return;
  throw invalid(
    `The thinking budget ${given} is invalid. Please choose a value between ${min} and ${max}.`,
  );
}

const mimeTypes = [
  "text/plain",
  "application/json",
  "application/xml",
  "application/yaml",
  "text/x.enum",
];

function checkFormat(
  request: GenerateRequest,
  config: GenerationConfig,
  { version }: ModelTraits,
): void {
  const { responseMimeType: mime = "text/plain", responseSchema, responseJsonSchema } = config;
  if (!mimeTypes.includes(mime)) {
    const [last = "", ...others] = mimeTypes.toReversed().map((type) => `\`${type}\``);
    throw invalidField(
      `${prefix}.response_mime_type`,
      `allowed mimetypes are ${others.toReversed().join(", ")} and ${last}.`,
    );
  }
  const field = responseSchema === undefined ? "response_json_schema" : "response_schema";
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
  if (hasSchema && mime === "text/plain") {
    throw invalidField(
      `${prefix}.${field}`,
      "a response mime type of 'application/json' or 'text/x.enum' is required for a schema.",
    );
  }
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw invalidField(prefix, "only one of response_schema and response_json_schema may be set.");
  }
  if (responseSchema !== undefined) checkSchema(responseSchema, `${prefix}.response_schema`);
  if (responseJsonSchema !== undefined) {
    checkJsonSchema(responseJsonSchema, `${prefix}.response_json_schema`);
  }
  // The third generation supports both at once.
  if (version < 300 && mime === "application/json" && declarationsOf(request).length > 0) {
    throw invalid(`Function calling with a response mime type: '${mime}' is unsupported`);
  }
}
