import { test } from "vitest";
import { openHeadless } from "./headless.ts";
import type { Driven } from "./journeys.ts";
import { journeys, prepare } from "./journeys.ts";

test.each(Object.entries(journeys))("%s", async (_, journey) => {
  const { place, service } = await prepare(journey);
  const terminal = openHeadless([], { ...place, size: { columns: 100, rows: 30 } });
  const screen: Driven = {
    type: terminal.type,
    paste: (text) => terminal.type(`\u001b[200~${text}\u001b[201~`),
    shows: terminal.shows,
    gone: (text) => terminal.until((lines) => !lines.join("\n").includes(text)),
    window: () => terminal.window().join("\n"),
    everything: () => terminal.everything().join("\n"),
    resize: terminal.resize,
  };

  await journey.travel(screen, place, service);

  service.assertComplete();
});
