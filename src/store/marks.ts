import { sql } from 'kysely';
import type { Db } from './store.ts';

/** Parts of the store that change by themselves, for pages that follow them. */
export const LIVE_TOPICS = [
  'work',
  'resources',
  'drifts',
  'plans',
  'sweeps',
  'requests',
  'acts',
  'access',
  'leavers',
] as const;

/** One of these parts. */
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** One text for each topic; another text than before: something of it has changed. */
export type Marks = Readonly<Record<LiveTopic, string>>;

/** Each is answered by an index or by the last row, so that asking every second costs nothing that matters. */
const FACTS: Readonly<Record<LiveTopic, readonly string[]>> = {
  work: [
    'select count(*) from resources where due_at is not null',
    'select count(*) from resources where stuck_at is not null',
  ],
  resources: ['select max(modified_at) from resources', 'select max(seq) from resources'],
  drifts: [
    'select max(seq) from drifts',
    "select count(*) from drifts where status = 'open'",
    "select count(*) from drifts where status = 'repairing'",
    "select count(*) from drifts where status in ('contested', 'ignored')",
  ],
  plans: [
    'select max(seq) from plans',
    "select count(*) from plans where status = 'held'",
    "select count(*) from plans where status = 'approved'",
    "select count(*) from plans where status = 'discarded'",
  ],
  sweeps: ['select max(seq) from sweeps', "select count(*) from sweeps where status = 'running'"],
  requests: ['select max(seq) from requests'],
  acts: ['select max(id) from acts', "select max(ended_at) from acts where target = ''"],
  leavers: [
    'select max(left_at) from resources where left_at is not null',
    'select count(*) from resources where left_at is not null and out_at is null',
  ],
  access: [
    "select max(seq) from credentials where kind <> 'access'",
    'select count(revoked_at) from credentials',
    "select max(last_used_at) from credentials where kind in ('token', 'client')",
    "select count(*) from credentials where kind = 'session'",
  ],
};

/** Reads the marks of all topics. */
export async function readMarks(db: Db): Promise<Marks> {
  const marks: Record<string, string> = {};
  for (const topic of LIVE_TOPICS) {
    const facts = FACTS[topic].map((fact, index) => `(${fact}) as fact_${index}`);
    const { rows } = await sql.raw<object>(`select ${facts.join(', ')}`).execute(db);
    marks[topic] = Object.values(rows[0] ?? {}).join(' ');
  }
  return parseMarks(marks);
}

/** Every topic was read. */
function parseMarks(marks: Readonly<Record<string, string>>): Marks {
  return marks as Marks;
}
