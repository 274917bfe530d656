import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `alter table acts add column credential text default '' not null`,
  `alter table acts add column address text default '' not null`,
  `alter table acts add column request_id text default '' not null`,
  `alter table acts add column method text default '' not null`,
  `alter table acts add column route text default '' not null`,
  'alter table acts add column status integer',
  'alter table acts add column state_before text',
  'alter table acts add column state_after text',
  'alter table acts add column everyone integer default 0 not null',
  `update acts set everyone = 1 where target = ''`,
  'create index acts_everyone on acts (at) where everyone = 1',
  'create index acts_at on acts (at)',
];

/** Everything that operators do, with the credential, the address, and the states before and after. */
export const acts: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
