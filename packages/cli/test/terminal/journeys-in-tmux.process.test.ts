import { describe, test } from "vitest";
import { files } from "../spawn-command.ts";
import { journeys, prepare } from "./journeys.ts";
import { hasTmux, openPane } from "./tmux.ts";

describe.skipIf(!hasTmux)("in tmux", () => {
  test.each(Object.entries(journeys))("%s", async (_, journey) => {
    const { place, service } = await prepare(journey);
    const pane = openPane(files.main, [], { ...place, columns: 100, rows: 30 });

    await journey.travel({ ...pane, type: pane.bytes }, place, service);

    service.assertComplete();
  });
});
