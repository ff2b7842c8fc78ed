/** Checks that the contents of a request belong together: roles, parts, calls and their responses. */
import { invalid, invalidField } from "./errors.ts";
import { callsOf, isOfModel, responsesOf } from "./generate-request.ts";
import type { Content, GenerateRequest } from "./generate-request.ts";
import { partData } from "./request-fields.ts";

/** No role means the user. Some clients use a separate role for function responses. */
const roles: readonly string[] = ["", "user", "model", "function"];

export function checkContents({ contents = [], systemInstruction }: GenerateRequest): void {
  if (contents.length === 0) throw invalidField("contents", "contents is not specified");
  for (const [index, content] of contents.entries()) checkParts(content, `contents[${index}]`);
  if (systemInstruction !== undefined) checkParts(systemInstruction, "system_instruction");
  if (!contents.every(({ role = "" }) => roles.includes(role))) {
    throw invalid("Please use a valid role: user, model.");
  }
  for (const [index, content] of contents.entries()) {
    checkPosition(content, contents[index - 1]);
    checkAnswered(content, contents[index + 1]);
  }
  const [first] = contents;
  if (first === undefined || !isOfModel(first)) return;
  throw invalid("Please ensure that multiturn requests alternate between user and model.");
}

function checkParts({ parts = [] }: Content, path: string): void {
  if (parts.length === 0) {
    throw invalidField(`${path}.parts`, "contents.parts must not be empty.");
  }
  for (const [index, part] of parts.entries()) {
    const field = `${path}.parts[${index}]`;
    if (!partData.some((key) => key in part)) {
      const fault = "required oneof field 'data' must have one initialized field";
      throw invalidField(`${field}.data`, fault);
    }
    if (part.functionCall && !part.functionCall.name) {
      throw invalidField(`${field}.function_call.name`, "Name cannot be empty.");
    }
    if (part.functionResponse && !part.functionResponse.name) {
      throw invalidField(`${field}.function_response.name`, "Name cannot be empty.");
    }
  }
}

function checkPosition(content: Content, before: Content | undefined): void {
  if (isOfModel(content) && callsOf(content).length > 0) {
    if (before === undefined || isOfModel(before)) {
      throw invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
  }
  if (responsesOf(content).length === 0) return;
  if (before === undefined || !isOfModel(before) || callsOf(before).length === 0) {
    throw invalid(
      "Please ensure that function response turn comes immediately after a function call turn.",
    );
  }
}

/** All calls of a turn must be answered in the next one. Ids are not compared, only names. */
function checkAnswered(content: Content, after: Content | undefined): void {
  const calls = isOfModel(content) ? callsOf(content) : [];
  if (calls.length === 0) return;
  const responses = after === undefined ? [] : responsesOf(after);
  if (responses.length !== calls.length) {
    throw invalid(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  }
  const open = calls.map(({ name = "" }) => name);
  for (const { name = "" } of responses) {
    const at = open.indexOf(name);
    if (at === -1) {
      throw invalid(
        `Please ensure that function response parts match the function call parts of the function call turn: there is no call of '${name}'.`,
      );
    }
    open.splice(at, 1);
  }
}
