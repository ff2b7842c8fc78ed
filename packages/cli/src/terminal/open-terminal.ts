/** Opens the screen of a conversation. Nothing else of the command is needed for it, so that keys work at once. */
import type { Io } from "../process/io.ts";
import { Look } from "./render/look.ts";
import type { ThemeName } from "./render/theme.ts";
import type { Screen, ScreenKind, TerminalDevice } from "./screen/contracts.ts";
import { removeFirstPrompt } from "./screen/first-frame.ts";
import { LateParts } from "./screen/late-parts.ts";
import { createTypesetter, keyInput, openScreen } from "./screen/screen.ts";

export interface OpenTerminal {
  readonly device: TerminalDevice;
  readonly look: Look;
  readonly screen: Screen;
  readonly parts: LateParts;
}

export async function openTerminal(
  { terminal: device, env, clock }: Io & { readonly terminal: TerminalDevice },
  kind: ScreenKind,
): Promise<OpenTerminal> {
  const look = new Look({ name: kind === "lines" ? "plain" : themeOf(env), createTypesetter });
  const parts = new LateParts();
  removeFirstPrompt(device, kind);
  if (kind === "lines") {
    const { LineScreen } = await import("./screen/line-screen.ts");
    const screen = new LineScreen(device, parts, { clock, input: keyInput });
    return { device, look, screen, parts };
  }
  const screen = openScreen(device, parts, {
    kind,
    theme: () => look.theme,
    clock,
    // These drop lines that leave a region.
    usesRegions: !env["ZELLIJ"] && !env["STY"],
  });
  return { device, look, screen, parts };
}

function themeOf(env: Io["env"]): ThemeName {
  if (env["NO_COLOR"]) return "plain";
  // Set by some terminals as "foreground;background": 7 and 15 are light.
  return /;(7|15)$/.test(env["COLORFGBG"] ?? "") ? "light" : "dark";
}
