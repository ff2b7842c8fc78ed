/** Environment of a server's process: a few harmless variables, and what the configuration names. */

/** Variables that programs need to find their files and to speak the user's language. None of them holds a secret. */
const passed = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ"],
  ...["TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA"],
  ...["PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE", "WINDIR"],
];

export function environmentOf(
  ours: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of passed) {
    const value = ours[name];
    // A value that begins so is a function of a shell, which runs when a shell starts.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...configured };
}
