import type { TestBridge } from './bridge.ts';

type Readable = Pick<TestBridge['store'], 'read'>;

/** How many resources have a call on its way. */
export async function countRunning({ read }: Readable): Promise<number> {
  const held = read.selectFrom('resources').select('id').where('in_flight', '!=', 0);
  return (await held.execute()).length;
}

/** Whether work of any user or group is due. @param stuck whether what the service refused may stay so */
export async function isAnythingDue(
  { read }: Readable,
  stuck: 'none' | 'may stay',
): Promise<boolean> {
  const due = read.selectFrom('resources').select('id').where('due_at', 'is not', null).limit(1);
  const row = stuck === 'none' ? due : due.where('stuck_at', 'is', null);
  return (await row.executeTakeFirst()) !== undefined;
}

/** When something is done next, in epoch milliseconds; infinite: nothing is due. */
export async function findDueAt({ read }: Readable): Promise<number> {
  const due = read.selectFrom('resources').select('due_at').where('due_at', 'is not', null);
  const first = await due.orderBy('due_at').limit(1).executeTakeFirst();
  return first?.due_at ?? Number.POSITIVE_INFINITY;
}

/** When the last complete read of the audit log began; 0: there was none. */
export async function findAuditReadAt({ read }: Readable): Promise<number> {
  const fact = read.selectFrom('facts').select('value').where('name', '=', 'audit-poller');
  const row = await fact.executeTakeFirst();
  return row === undefined ? 0 : JSON.parse(row.value).readAt;
}
