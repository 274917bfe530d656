import { sql } from 'kysely';
import type { Db } from './store.ts';

/** Parts of the store that change by themselves, for pages that follow them. */
export const TOPICS = [
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
export type Topic = (typeof TOPICS)[number];

/** One text for each topic; another text than before: something of it has changed. */
export type Marks = Readonly<Record<Topic, string>>;

/** Each is answered by an index or by the last row, so that asking every second costs nothing that matters. */
const STATEMENTS: Readonly<Record<Topic, string>> = {
  work: `select (select count(*) from users where due_at is not null) as a,
    (select count(*) from groups where due_at is not null) as b,
    (select count(*) from users where stuck_at is not null) as c,
    (select count(*) from groups where stuck_at is not null) as d`,
  resources: `select (select max(modified_at) from users) as a,
    (select max(modified_at) from groups) as b, (select max(seq) from users) as c,
    (select max(seq) from groups) as d`,
  drifts: `select (select max(seq) from drifts) as a,
    (select count(*) from drifts where status = 'open') as b,
    (select count(*) from drifts where status = 'repairing') as c,
    (select count(*) from drifts where status in ('contested', 'ignored')) as d`,
  plans: `select (select max(seq) from plans) as a,
    (select count(*) from plans where status = 'held') as b,
    (select count(*) from plans where status = 'approved') as c,
    (select count(*) from plans where status = 'discarded') as d`,
  sweeps: `select (select max(seq) from sweeps) as a,
    (select count(*) from sweeps where status = 'running') as b, 0 as c, 0 as d`,
  requests: 'select (select max(seq) from requests) as a, 0 as b, 0 as c, 0 as d',
  acts: `select (select max(id) from acts) as a,
    (select max(ended_at) from acts where target = '') as b, 0 as c, 0 as d`,
  leavers: `select (select max(seq) from leavers) as a,
    (select count(*) from leavers where status = 'waits') as b,
    (select count(*) from leavers where logged is null and ended_at is not null) as c,
    (select count(*) from leavers where look_at is not null) as d`,
  access: `select (select max(seq) from tokens) as a, (select count(revoked_at) from tokens) as b,
    (select count(*) from client_secrets where revoked_at is null)
      + (select count(*) from clients where revoked_at is null) as c,
    (select count(*) from sessions) + coalesce((select max(last_used_at) from tokens), 0)
      + coalesce((select max(last_used_at) from clients), 0) as d`,
};

interface Mark {
  readonly a: unknown;
  readonly b: unknown;
  readonly c: unknown;
  readonly d: unknown;
}

/** Reads the marks of all topics. */
export async function readMarks(db: Db): Promise<Marks> {
  const marks: Record<string, string> = {};
  for (const topic of TOPICS) {
    const { rows } = await sql.raw<Mark>(STATEMENTS[topic]).execute(db);
    const [row] = rows;
    marks[topic] = [row?.a, row?.b, row?.c, row?.d].map(String).join(' ');
  }
  return parseMarks(marks);
}

/** Every topic was read. */
function parseMarks(marks: Readonly<Record<string, string>>): Marks {
  return marks as Marks;
}
