/** The table of slash commands: `/help` and completions come from it. */
import { clear } from "./clear.ts";
import type { SlashCommand } from "./command.ts";
import { compact } from "./compact.ts";
import { context } from "./context.ts";
import { copy } from "./copy.ts";
import { cost } from "./cost.ts";
import { exportSession } from "./export.ts";
import { fork } from "./fork.ts";
import { createHelp } from "./help.ts";
import { model } from "./model.ts";
import { permissions } from "./permissions.ts";
import { quit } from "./quit.ts";
import { resume, sessions } from "./resume.ts";
import { rewind } from "./rewind.ts";
import { theme } from "./theme.ts";
import { thinking } from "./thinking.ts";
import { todos } from "./todos.ts";

export const commands: readonly SlashCommand[] = [
  createHelp(() => commands),
  model,
  thinking,
  compact,
  fork,
  rewind,
  resume,
  sessions,
  todos,
  cost,
  context,
  permissions,
  exportSession,
  copy,
  theme,
  clear,
  quit,
];
