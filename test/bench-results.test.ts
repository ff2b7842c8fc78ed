import { expect, test } from "vitest";
import type { Results } from "../bench/results-page.ts";
import { toResultsPage } from "../bench/results-page.ts";
import { toResultsPicture } from "../bench/results-picture.ts";

const base = "floor-gen";

function resultsOf(figures: Results["figures"], durable: Results["durable"] = []): Results {
  return {
    date: "2026-11-18",
    machine: "2 cores",
    rounds: 7,
    versions: { ai: "7.0.0" },
    figures,
    durable,
    refunds: [{ name: "Capstan", count: 1, answer: "I will check." }],
  };
}

test("the page names every figure in which a peer needs less than a session", () => {
  const page = toResultsPage(
    resultsOf(
      [
        { bench: "B1", subject: "session", perUnit: 9.61, ratio: 6.6, base },
        { bench: "B1", subject: "pi", perUnit: 15.5, ratio: 10.6, base },
        { bench: "B4", subject: "kernel", perUnit: 22.3, ratio: 2.4, base },
        { bench: "B4", subject: "session", perUnit: 161, ratio: 17, base },
        { bench: "B4", subject: "pi", perUnit: 85.4, ratio: 9.2, base },
        { bench: "B4", subject: "session", metric: "rssKB", value: 116 },
        { bench: "B4", subject: "pi", metric: "rssKB", value: 49.8 },
      ],
      [{ name: "restate", turnsPerSecond: 900, ratio: 0.7, goal: 1.5, clientMs: 2, serverMs: 1 }],
    ),
  );

  const [, section = ""] = page.split("## Where Capstan is not ahead\n\n");
  expect(section.split("\n\n")[0]?.split("\n")).toEqual([
    "- B4: a turn, 1,000 at the same time: pi 85.4 µs, a session 161 µs (the kernel: 22.3 µs)",
    "- B4: resident memory of each: pi 49.8 KB, a session 116 KB",
    "- Durable turns: restate 900/s",
  ]);
});

test("the page says so if Capstan is ahead in every figure", () => {
  const page = toResultsPage(
    resultsOf([
      { bench: "B1", subject: "session", perUnit: 9.61, ratio: 6.6, base },
      { bench: "B1", subject: "pi", perUnit: 15.5, ratio: 10.6, base },
    ]),
  );

  expect(page).toContain("In none of these figures.");
  expect(page).toContain("| B1: a step with a tool call | – | 9.61 µs | 15.5 µs | – | – | – | – |");
});

test("the page shows what a delta from each vendor costs each runtime, and a dash where it has no provider", () => {
  const base = "floor";
  const page = toResultsPage(
    resultsOf([
      { bench: "B6", subject: "floor, openai", perUnit: 0.7, ratio: 1, base },
      { bench: "B6", subject: "provider, openai", perUnit: 0.9, ratio: 1.3, base },
      { bench: "B6", subject: "openai-sdk, openai", perUnit: 16.7, ratio: 24, base },
      { bench: "B6", subject: "openai-agents, openai", perUnit: 21, ratio: 30, base },
      { bench: "B6", subject: "pi, openai", perUnit: 9.5, ratio: 14, base },
      { bench: "B6", subject: "floor, anthropic", perUnit: 0.5, ratio: 1, base },
      { bench: "B6", subject: "provider, anthropic", perUnit: 0.7, ratio: 1.4, base },
      { bench: "B6", subject: "anthropic-sdk, anthropic", perUnit: 1.5, ratio: 3, base },
      { bench: "B6", subject: "pi, anthropic", perUnit: 0.6, ratio: 1.2, base },
    ]),
  );

  expect(page.split("\n").filter((line) => line.startsWith("| B6"))).toEqual([
    "| B6: a text delta from OpenAI (Responses) | 0.9 µs | 9.5 µs | – | 21 µs | – | – | 16.7 µs | 0.7 µs |",
    "| B6: a text delta from Anthropic (Messages) | 0.7 µs | 0.6 µs | – | – | – | – | 1.5 µs | 0.5 µs |",
  ]);
  expect(page).toContain(
    "- B6: a text delta from Anthropic (Messages): pi 0.6 µs, Capstan's provider 0.7 µs",
  );
});

test("the page lists every figure with a goal, and those that miss it", () => {
  const page = toResultsPage(
    resultsOf([
      { bench: "B1", subject: "kernel", perUnit: 2.8, ratio: 1.9, base, goal: 2, met: true },
      { bench: "B1", subject: "session", perUnit: 9.5, ratio: 6.5, base, goal: 6, met: false },
      { bench: "B1", subject: "pi", perUnit: 15.5, ratio: 10.6, base },
      { bench: "B4", subject: "session", metric: "rssKB", value: 85.4, goal: 90, met: true },
    ]),
  );

  const [, section = ""] = page.split("## The goals of Capstan\n");
  const rows = section
    .split("\n## ")[0]
    ?.split("\n")
    .filter((line) => line.startsWith("| B"));
  expect(rows).toEqual([
    "| B1: 50 tool steps in one turn | kernel | 1.90 × `floor-gen` (2.8 µs) | ≤ 2 × | yes |",
    "| B1: 50 tool steps in one turn | session | 6.50 × `floor-gen` (9.5 µs) | ≤ 6 × | **no** |",
    "| B4: 1,000 concurrent turns of 3 steps, 20 ms model latency | session | rssKB: 85.4 | ≤ 90 | yes |",
  ]);
});

test("the longest bar of the picture is as wide as the space for bars", () => {
  const picture = toResultsPicture(
    resultsOf([
      { bench: "B1", subject: "session", perUnit: 10, ratio: 6, base },
      { bench: "B1", subject: "ai", perUnit: 1_000, ratio: 600, base },
    ]),
  );

  expect(
    [...picture.matchAll(/<rect class="(\w+)" .*? width="([\d.]+)"/g)].map((m) => m.slice(1)),
  ).toEqual([
    ["ours", "4.7"],
    ["peer", "470.0"],
  ]);
});
