/** Metrics in Prometheus format. They name no principal and no session. */

export class Metrics {
  readonly #requests = new Map<string, number>();
  #events = 0;
  #chars = 0;

  onRequest(route: string, status: number): void {
    const key = `route="${route}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  onWrite(events: number, chars: number): void {
    this.#events += events;
    this.#chars += chars;
  }

  toText(gauges: Readonly<Record<string, number>>): string {
    const lines = [
      "# TYPE capstan_http_requests_total counter",
      ...Array.from(this.#requests, ([key, n]) => `capstan_http_requests_total{${key}} ${n}`),
      "# TYPE capstan_stream_events_total counter",
      `capstan_stream_events_total ${this.#events}`,
      "# TYPE capstan_stream_chars_total counter",
      `capstan_stream_chars_total ${this.#chars}`,
      ...Object.entries(gauges).flatMap(([name, n]) => [
        `# TYPE capstan_${name} gauge`,
        `capstan_${name} ${n}`,
      ]),
    ];
    return `${lines.join("\n")}\n`;
  }
}
