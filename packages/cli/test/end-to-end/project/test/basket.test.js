import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { total } from "../src/basket.js";

// Tells from outside how often it has run.
appendFileSync("runs.log", "run\n");

test("every item counts", () => {
  const items = [
    { price: 250, count: 2 },
    { price: 100, count: 1 },
  ];

  assert.equal(total(items), 600);
});
