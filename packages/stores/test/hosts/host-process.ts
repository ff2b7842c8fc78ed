/** The parent's side of `host-worker.ts`. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Command, HostSettings, Report } from "./host-worker.ts";

type ReportOf<Type extends Report["type"]> = Extract<Report, { readonly type: Type }>;

export class HostProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #reports: Report[] = [];
  readonly #looks = new Set<() => void>();
  readonly #ended: Promise<unknown>;
  #errors = "";

  static async start(settings: HostSettings): Promise<HostProcess> {
    const host = new HostProcess(settings);
    await host.hear("ready");
    return host;
  }

  private constructor(settings: HostSettings) {
    const script = fileURLToPath(new URL("./host-worker.ts", import.meta.url));
    this.#child = fork(script, [JSON.stringify(settings)], {
      execArgv: ["--conditions=@capstan/source", "--no-warnings"],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#ended = once(this.#child, "close");
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.#child.on("message", (report: Report) => {
      this.#reports.push(report);
      for (const look of this.#looks) look();
    });
  }

  tell(command: Command): void {
    this.#child.send(command);
  }

  /** All events that it has told of. */
  get events(): readonly ReportOf<"event">[] {
    return this.#reports.filter((report) => report.type === "event");
  }

  /** When it tells of this, or at once if it has. Fails if it ends before. */
  async hear<Type extends Report["type"]>(
    type: Type,
    isMeant: (report: ReportOf<Type>) => boolean = () => true,
  ): Promise<ReportOf<Type>> {
    const find = (): ReportOf<Type> | undefined =>
      this.#reports.find((each): each is ReportOf<Type> => {
        // The type was just compared.
        return each.type === type && isMeant(each as ReportOf<Type>);
      });
    const heard = new Promise<void>((resolve) => {
      const look = (): void => {
        if (find() !== undefined) resolve();
      };
      this.#looks.add(look);
      look();
    });
    await Promise.race([heard, this.#ended]);
    const report = find();
    if (report === undefined) throw new Error(`No "${type}" before the end: ${this.#errors}`);
    return report;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
