import { writeFileSync } from 'node:fs';

/** What happened in a run, line by line. */
export interface Trace {
  /** Notes that something happened now. */
  note(what: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes it all as JSON lines. */
  save(path: string): void;
}

/** An empty trace. Moments are milliseconds since 1970, as in the logs. */
export function createTrace(): Trace {
  const lines: string[] = [];
  return {
    note(what, fields = {}) {
      lines.push(JSON.stringify({ at: Date.now(), what, ...fields }));
    },
    save: (path) => writeFileSync(path, `${lines.join('\n')}\n`),
  };
}
