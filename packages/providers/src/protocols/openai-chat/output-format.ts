/** Format of the reply: enforced by the server if possible, otherwise described to the model. */
import type { JsonValue, OutputFormat } from "@capstan/kernel";
import type { DispensableField, Target } from "../../wire/protocol.ts";
import { tellSchema } from "../../projection/told-schema.ts";
import { isObject, listOf, omit, textAt } from "../../wire/wire-json.ts";
import { planOutput } from "../../projection/wrapped-output.ts";
import type { WireFormat } from "./request.ts";

export interface ChatOutput {
  readonly format: WireFormat;
  /** Appended to the system prompt. */
  readonly told: string | undefined;
  readonly isWrapped: boolean;
  /** If the server rejects the format, the schema is described in words instead. */
  readonly dispensable: DispensableField;
}

export function toChatOutput(output: OutputFormat, { quirks, origin }: Target): ChatOutput {
  const { name, schema, strict, isWrapped } = planOutput(output);
  const told = tellSchema(schema);
  const hasSchemas = quirks.chat?.outputFormat !== "json-object";
  return {
    format: hasSchemas
      ? { type: "json_schema", json_schema: { name, schema, strict } }
      : { type: "json_object" },
    told: hasSchemas ? undefined : told,
    isWrapped,
    dispensable: {
      // Servers with many models accept formats for some of them only, and not every schema.
      name: `response_format ${origin.model} ${told}`,
      isRefusedBy: ({ status, body, text }) => {
        if (status !== 400 && status !== 422) return false;
        const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
        return textAt(error, "param") === "response_format" || complaint.test(text);
      },
      without: (body) => (hasSchemas ? withTold(body, told) : omitFormat(body)),
    },
  };
}

/** "This response_format type is unavailable now", "This model does not support response format `json_schema`". */
const complaint =
  /response[_ ]format.{0,80}(unavailable|not support|unsupported|invalid)|(unavailable|not support|unsupported|invalid|unknown|unrecognized|extra).{0,80}response[_ ]format/is;

function omitFormat(body: JsonValue): JsonValue {
  return isObject(body) ? omit(body, ["response_format"]) : body;
}

function withTold(body: JsonValue, told: string): JsonValue {
  if (!isObject(body)) return body;
  const [first, ...others] = listOf(body["messages"]);
  const isSystem = isObject(first) && first["role"] === "system";
  const instructions = isSystem ? `${textAt(first, "content") ?? ""}\n\n${told}` : told;
  const rest = isSystem || first === undefined ? others : [first, ...others];
  const messages = [{ role: "system", content: instructions }, ...rest];
  return { ...omit(body, ["response_format"]), messages };
}
