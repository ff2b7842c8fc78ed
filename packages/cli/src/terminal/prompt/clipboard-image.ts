/** An image from the clipboard, by the programs of the system. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { UserPart } from "@capstan/kernel";
import type { Env } from "../../config/env.ts";
import { failed } from "../../errors/command-error.ts";

const run = promisify(execFile);
const limits = { encoding: "buffer", timeout: 5_000, maxBuffer: 20 * 1024 * 1024 } as const;

interface Command {
  readonly words: readonly [string, ...string[]];
  /** Turns the output into bytes of a PNG file. */
  readonly decode: (output: Buffer) => Buffer;
}

/** Codes of a program that cannot be started. */
const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES"]);

const asIs = (output: Buffer): Buffer => output;

/** Programs that can tell, the likeliest first. */
function commandsOf(platform: NodeJS.Platform, env: Env): readonly Command[] {
  const wayland: Command = { words: ["wl-paste", "--type", "image/png"], decode: asIs };
  const x11: Command = {
    words: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
    decode: asIs,
  };
  switch (platform) {
    case "darwin":
      // Writes «data PNGf89504E47…».
      return [
        {
          words: ["osascript", "-e", "get the clipboard as «class PNGf»"],
          decode: (output) =>
            Buffer.from(/PNGf([\dA-F]+)/.exec(output.toString("utf8"))?.[1] ?? "", "hex"),
        },
      ];
    case "win32":
      return [
        {
          words: ["powershell.exe", "-NoProfile", "-STA", "-Command", windowsScript],
          decode: (output) => Buffer.from(output.toString("utf8").trim(), "base64"),
        },
      ];
    default:
      return env["WAYLAND_DISPLAY"] === undefined ? [x11, wayland] : [wayland, x11];
  }
}

const windowsScript = [
  "Add-Type -AssemblyName System.Windows.Forms",
  "$image = [System.Windows.Forms.Clipboard]::GetImage()",
  "if ($image) { $stream = New-Object System.IO.MemoryStream",
  "$image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)",
  "[Convert]::ToBase64String($stream.ToArray()) }",
].join("; ");

/** Throws a `CommandError` if there is no image, or no program that could tell. */
export async function clipboardImage(platform: NodeJS.Platform, env: Env): Promise<UserPart> {
  const commands = commandsOf(platform, env);
  let isAsked = false;
  for (const { words, decode } of commands) {
    const [file, ...args] = words;
    try {
      const { stdout } = await run(file, args, { ...limits, env });
      isAsked = true;
      const bytes = decode(stdout);
      if (bytes.toString("latin1", 1, 4) === "PNG") {
        return { type: "image", mediaType: "image/png", data: bytes.toString("base64") };
      }
    } catch (thrown) {
      // A program that is missing tells nothing; one that fails has no image to write.
      isAsked ||= !missing.has((thrown as NodeJS.ErrnoException).code ?? "");
    }
  }
  const names = commands.map(({ words: [name] }) => name).join(" or ");
  throw failed(
    isAsked
      ? "The clipboard has no image."
      : `Reading the clipboard needs ${names}, which is not installed.`,
  );
}
