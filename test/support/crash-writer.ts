import { writeSync } from 'node:fs';
import { sql } from 'kysely';
import { openStore } from '../../src/store/engine/database.ts';

// Writes rows with eight writers and says each number once its write has resolved, until somebody kills it.
// node test/support/crash-writer.ts <path of the SQLite file>
const store = await openStore({ url: `sqlite:${process.argv[2]}` });
await store.write((tx) =>
  sql`create table if not exists crash_rows (n integer primary key)`.execute(tx),
);
const { rows } = await sql<{ next: number }>`
  select coalesce(max(n), 0) + 1 as next from crash_rows`.execute(store.read);
let next = rows[0]?.next ?? 1;

async function keepWriting(): Promise<never> {
  for (;;) {
    const n = next;
    next += 1;
    await store.write((tx) => sql`insert into crash_rows (n) values (${n})`.execute(tx));
    writeSync(1, `${n}\n`); // Not console.log, which may keep a line in memory.
  }
}
await Promise.all(Array.from({ length: 8 }, keepWriting));
