/** Keywords about the contents of a value: the items of a list, the properties of an object. */
import type { JsonValue } from "@capstan/kernel";
import { canonicalJson, isList, isObject } from "./canonical-json.ts";
import type { Check, Findings } from "./check.ts";
import type { Keywords, SchemaObject } from "./keywords.ts";
import { shown } from "./schema-problem.ts";

type ListCheck = (list: readonly JsonValue[], findings: Findings) => void;
type ObjectCheck = (object: SchemaObject, findings: Findings) => void;

export function containerChecks(keywords: Keywords): Check[] {
  const lists = [...itemChecks(keywords), ...listSizeChecks(keywords)];
  const objects = [...propertyChecks(keywords), ...requiredChecks(keywords)];
  return [
    ...lists.map((check): Check => (value, findings) => {
      if (isList(value)) check(value, findings);
    }),
    ...objects.map((check): Check => (value, findings) => {
      if (isObject(value)) check(value, findings);
    }),
  ];
}

function itemChecks(keywords: Keywords): ListCheck[] {
  // Before 2020-12, a list of `items` was what `prefixItems` is today, and `additionalItems` what `items` is.
  const isOld = Array.isArray(keywords.schema["items"]);
  const first = keywords.checks(isOld ? "items" : "prefixItems") ?? [];
  const rest = keywords.check(isOld ? "additionalItems" : "items");
  const checks: ListCheck[] = [];
  if (first.length > 0 || rest !== undefined) {
    checks.push((list, findings) => {
      for (const [index, item] of list.entries()) {
        const check = first[index] ?? rest;
        if (check !== undefined) findings.under(index, check, item);
      }
    });
  }
  const wanted = keywords.check("contains");
  if (wanted !== undefined) checks.push(containsCheck(keywords, wanted));
  return checks;
}

function containsCheck(keywords: Keywords, wanted: Check): ListCheck {
  const min = keywords.count("minContains") ?? 1;
  const max = keywords.count("maxContains") ?? Infinity;
  return (list, findings) => {
    const count = list.filter((item) => findings.apart(wanted, item).length === 0).length;
    if (count < min) findings.add(`must contain at least ${min} matching items, has ${count}`);
    if (count > max) findings.add(`must contain at most ${max} matching items, has ${count}`);
  };
}

function listSizeChecks(keywords: Keywords): ListCheck[] {
  const checks: ListCheck[] = [];
  const min = keywords.count("minItems");
  const max = keywords.count("maxItems");
  if (min !== undefined) {
    checks.push(({ length }, findings) => {
      if (length < min) findings.add(`must have at least ${min} items, has ${length}`);
    });
  }
  if (max !== undefined) {
    checks.push(({ length }, findings) => {
      if (length > max) findings.add(`must have at most ${max} items, has ${length}`);
    });
  }
  if (keywords.flag("uniqueItems")) {
    checks.push((list, findings) => {
      if (new Set(list.map(canonicalJson)).size < list.length) findings.add("has duplicate items");
    });
  }
  return checks;
}

function propertyChecks(keywords: Keywords): ObjectCheck[] {
  const known = keywords.checksByName("properties") ?? new Map<string, Check>();
  const patterns = [...(keywords.checksByName("patternProperties") ?? [])].map(
    ([source, check]) => [keywords.toRegExp(source, "patternProperties"), check] as const,
  );
  const others =
    keywords.schema["additionalProperties"] === false
      ? refuseProperty([...known.keys()])
      : keywords.check("additionalProperties");
  const names = keywords.check("propertyNames");
  if (known.size === 0 && patterns.length === 0 && others === undefined && names === undefined) {
    return [];
  }
  const checkOne = (key: string, value: JsonValue, findings: Findings): void => {
    if (names !== undefined) findings.under(key, names, key);
    const check = known.get(key);
    if (check !== undefined) findings.under(key, check, value);
    const fitting = patterns.filter(([pattern]) => pattern.test(key));
    for (const [, checkFitting] of fitting) findings.under(key, checkFitting, value);
    if (check === undefined && fitting.length === 0 && others !== undefined) {
      findings.under(key, others, value);
    }
  };
  return [
    (object, findings) => {
      for (const [key, value] of Object.entries(object)) checkOne(key, value, findings);
    },
  ];
}

/** Lists the known properties, so that a model that misspelt a name finds it. */
function refuseProperty(known: readonly string[]): Check {
  const hint = known.length === 0 ? "none is allowed" : `known properties: ${known.join(", ")}`;
  return (_, findings) => findings.add(`unknown property; ${hint}`);
}

function requiredChecks(keywords: Keywords): ObjectCheck[] {
  const checks: ObjectCheck[] = [];
  const require = (names: readonly string[], isAsked: (object: SchemaObject) => boolean): void => {
    checks.push((object, findings) => {
      if (!isAsked(object)) return;
      for (const name of names) {
        if (!Object.hasOwn(object, name)) findings.under(name, missing, null);
      }
    });
  };
  const required = keywords.names("required");
  if (required !== undefined) require(required, () => true);
  for (const [name, others] of keywords.fields("dependentRequired") ?? []) {
    if (!isList(others) || !others.every((other) => typeof other === "string")) {
      throw keywords.problem(
        "dependentRequired",
        `it must be an object of lists of strings; "${name}" has ${shown(others)}`,
      );
    }
    require(others, (object) => Object.hasOwn(object, name));
  }
  for (const [name, check] of keywords.checksByName("dependentSchemas") ?? []) {
    checks.push((object, findings) => {
      if (Object.hasOwn(object, name)) check(object, findings);
    });
  }
  return [...checks, ...objectSizeChecks(keywords)];
}

const missing: Check = (_, findings) => findings.add("is required");

function objectSizeChecks(keywords: Keywords): ObjectCheck[] {
  const min = keywords.count("minProperties") ?? 0;
  const max = keywords.count("maxProperties") ?? Infinity;
  if (min === 0 && max === Infinity) return [];
  return [
    (object, findings) => {
      const size = Object.keys(object).length;
      if (size < min) findings.add(`must have at least ${min} properties, has ${size}`);
      if (size > max) findings.add(`must have at most ${max} properties, has ${size}`);
    },
  ];
}
