/** Tool of the page: the model asks for it, and the browser answers. */
export const localTimeTool = "local_time";

export function localTime(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const now = new Date().toLocaleString("en", { dateStyle: "full", timeStyle: "short" });
  return `${now}, ${timeZone}`;
}
