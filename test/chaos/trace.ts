import { writeFileSync } from 'node:fs';

/** What happened in a run, line by line. Moments are milliseconds since 1970, as in the logs. */
export class Trace {
  readonly #lines: string[] = [];

  /** Notes that something happened now. */
  note(what: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#lines.push(JSON.stringify({ at: Date.now(), what, ...fields }));
  }

  /** Writes it all as JSON lines. */
  save(path: string): void {
    writeFileSync(path, `${this.#lines.join('\n')}\n`);
  }
}
