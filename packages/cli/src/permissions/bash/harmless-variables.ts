/** Variables that may be set for a command without a change of what it runs. All others may choose programs, files or options. */

const names = new Set([
  ...["CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "DEBUG", "FORCE_COLOR"],
  ...[
    "GOARCH",
    "GOOS",
    "CGO_ENABLED",
    "HUSKY",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOG_LEVEL",
    "NO_COLOR",
  ],
  ...["NODE_ENV", "BABEL_ENV", "APP_ENV", "RAILS_ENV", "RACK_ENV", "MIX_ENV", "FLASK_ENV", "PORT"],
  ...[
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
  ],
  ...["TERM", "TEST_ENV", "TZ", "VERBOSE", "GIT_TERMINAL_PROMPT", "NEXT_TELEMETRY_DISABLED"],
  ...[
    "NODE_NO_WARNINGS",
    "NPM_CONFIG_LOGLEVEL",
    "DO_NOT_TRACK",
    "UPDATE_SNAPSHOT",
    "UPDATE_SNAPSHOTS",
  ],
  ...["DATABASE_URL", "TEST_DATABASE_URL", "REDIS_URL", "API_URL", "BASE_URL", "HEADLESS", "SKIP"],
  ...["TSC_COMPILE_ON_ERROR", "GENERATE_SOURCEMAP", "JEST_WORKER_ID", "VITEST", "COVERAGE"],
]);
const prefixes = /^(?:LC_|VITE_|NEXT_PUBLIC_|REACT_APP_)[A-Z0-9_]+$/;
/** Harmless with these values only. */
const values: Readonly<Record<string, RegExp>> = {
  DEBIAN_FRONTEND: /^noninteractive$/,
  EDITOR: /^(?:true|:|cat)$/,
  GIT_EDITOR: /^(?:true|:|cat)$/,
  GIT_PAGER: /^(?:cat)?$/,
  NODE_OPTIONS:
    /^(?:--(?:max-old-space-size=\d+|no-warnings|experimental-vm-modules|enable-source-maps|trace-warnings)(?: |$))+$/,
  PAGER: /^(?:cat)?$/,
  // A folder of the project, from which code is loaded anyway.
  PYTHONPATH: /^(?!.*\.\.)[\w.][\w.-]*(?:\/[\w.-]+)*\/?$/,
  RUSTFLAGS: /^(?:-[DAW] ?[a-z_:]+(?: |$))+$/,
};

export function isHarmlessVariable(name: string, value: string): boolean {
  if (Object.hasOwn(values, name)) return values[name]?.test(value) === true;
  return (names.has(name) || prefixes.test(name)) && !/[\n\r]/.test(value);
}
