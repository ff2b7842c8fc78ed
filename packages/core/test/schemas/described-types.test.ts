import { isLiveOnly } from "@capstan/log";
import type { AgentEventBody } from "@capstan/kernel";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodySamples } from "./event-samples.ts";
import type { Sample } from "./sample.ts";

const document = readFileSync(
  join(import.meta.dirname, "../../../../docs/specs/core-types.md"),
  "utf8",
);

/** The row of the events table that is about this type, as its cells. */
function rowOf(type: string): readonly string[] {
  const rows = document.split("\n## Events\n")[1]?.split("\n") ?? [];
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  return cells.find(([, types = ""]) => types.split(" ").includes(`\`${type}\``)) ?? [];
}

function fieldsOf({ required, optional }: Sample): string[] {
  const names = Object.keys(required).filter((name) => name !== "type");
  return [...names, ...Object.keys(optional).map((name) => `${name}?`)];
}

test.each(Object.entries(bodySamples))("the document describes %s", (type, body) => {
  const [, , fields = "", live] = rowOf(type);

  expect(fields.split(/[^\w?]+/)).toEqual(expect.arrayContaining(fieldsOf(body)));
  expect(live).toBe(isLiveOnly(body.required as AgentEventBody) ? "live" : "");
});
