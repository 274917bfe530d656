import type { TestBridge } from './bridge.ts';

type Readable = Pick<TestBridge['store'], 'read'>;

/** How many resources have a call on its way, or one of unknown outcome. */
export async function countRunning({ read }: Readable): Promise<number> {
  const unsure = read.selectFrom('resources').select('id').where('unsure_until', 'is not', null);
  return (await unsure.where('must_look', '!=', 0).execute()).length;
}

/** When something is done next, in epoch milliseconds; infinite: nothing is due. */
export async function findDueAt({ read }: Readable): Promise<number> {
  const due = read.selectFrom('resources').select('due_at').where('due_at', 'is not', null);
  const first = await due.orderBy('due_at').limit(1).executeTakeFirst();
  return first?.due_at ?? Number.POSITIVE_INFINITY;
}

/** When the last complete read of the audit log began; 0: there was none. */
export async function findAuditReadAt({ read }: Readable): Promise<number> {
  const fact = read.selectFrom('state').select('value').where('name', '=', 'audit-poller');
  const row = await fact.executeTakeFirst();
  return row === undefined ? 0 : JSON.parse(row.value).readAt;
}
