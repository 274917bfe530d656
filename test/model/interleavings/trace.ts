import type { Store } from '../../../src/store/store.ts';
import { describeRows, readSnapshot } from './snapshot.ts';

/** What happened in a schedule, step by step, with what each step changed in the store. */
export type Trace = ReturnType<typeof createTrace>;

const ID = /\b[a-f][0-9a-f]{15}\b/g;

/** An empty trace. Ids are numbered, so that two runs of a schedule can be compared. */
export function createTrace(store: Store) {
  const names = new Map<string, string>();
  const lines: string[] = [];
  let known = new Set<string>();

  function name(id: string): string {
    const given = names.get(id) ?? `#${names.size + 1}`;
    names.set(id, given);
    return given;
  }

  return {
    lines,
    note: (owner: string, step: string) => void lines.push(`${owner} ${step}`.replaceAll(ID, name)),
    /** Notes what is different in the store since the last time. */
    async look() {
      const rows = describeRows(await readSnapshot(store)).map((row) => row.replaceAll(ID, name));
      for (const row of rows) if (!known.has(row)) lines.push(`    ${row}`);
      known = new Set(rows);
    },
  };
}
