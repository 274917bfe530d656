import { userId } from '../../../src/domain/values.ts';
import { listLinks } from '../../../src/store/links/links.ts';
import { findRow, LIVE, listRows } from '../../../src/store/resources/rows.ts';
import type { Play, SentWish } from './play.ts';
import type { Replica } from './replica.ts';
import { GIVEN_NAME, toMemberKey } from './requests.ts';
import { readName } from './snapshot.ts';

/** Whether a person who was there before is what somebody may have asked for. @returns what does not hold */
export async function checkUserOutcome(play: Play, id: string): Promise<string[]> {
  const row = await findRow(play.world.store.read, { type: 'user', id });
  if (row === undefined) return [`${id}: is gone`];
  const names = listOutcomes(play, { id, key: 'name', before: 'First' });
  const actives = listOutcomes(play, { id, key: 'active', before: true });
  const name = readName(row)?.slice(GIVEN_NAME.length + 1);
  return [
    ...(names.has(name) ? [] : [`${id}: ${name} is wanted, not ${[...names]}`]),
    ...(actives.has(row.active === 1)
      ? []
      : [`${id}: active=${row.active} is wanted, not ${[...actives]}`]),
  ];
}

/** What a field may hold in the end. A write whose answer nobody heard, or of a half refused one, may or may not count. */
function listOutcomes(
  { sent }: Pick<Play, 'sent'>,
  { id, key, before }: { id: string; key: string; before: string | boolean | undefined },
): Set<string | boolean | undefined> {
  const writes = sent.filter(
    ({ request, stored }) => (request.id ?? stored?.id) === id && request.asks[key] !== undefined,
  );
  const accepted = writes.filter(({ status }) => status === 200);
  const last = accepted.reduce<SentWish | undefined>(
    (latest, write) => (getVersion(write) >= (latest ? getVersion(latest) : 0) ? write : latest),
    undefined,
  );
  const floor = last ? getVersion(last) : 0;
  const open = writes.filter((write) => isOpen(write) && (write.stored?.version ?? floor) >= floor);
  return new Set([
    last === undefined ? before : last.request.asks[key],
    ...open.map(({ request }) => request.asks[key]),
  ]);
}

function getVersion({ stored }: SentWish): number {
  return stored?.version ?? 0;
}

function isOpen({ status, stored, request }: SentWish): boolean {
  if (status === undefined) return true;
  return status === 400 && stored !== undefined && Object.keys(request.asks).length > 1;
}

/** Whether a group is called what somebody may have asked for. @returns what does not hold */
export async function checkGroupName(
  play: Play,
  { id, before }: { id: string; before: string },
): Promise<string[]> {
  const [row] = await listRows(play.world.store.read, 'group', { id, ...LIVE });
  if (row === undefined) return [`${id}: is not there`];
  const names = listOutcomes(play, { id, key: 'displayName', before });
  return names.has(row.name) ? [] : [`${id}: is called ${row.name}`];
}

/** Whether somebody is wanted in a group as somebody may have asked for. @returns what does not hold */
export async function checkMemberOutcome(
  play: Play,
  { group, user, before }: { group: string; user: string; before: boolean },
): Promise<string[]> {
  const outcomes = listOutcomes(play, { id: group, key: toMemberKey(user), before });
  const { read } = play.world.store;
  const [row] = await listRows(read, 'group', { id: group, ...LIVE });
  if (row === undefined) return [`${group}: is not there`];
  const [link] = await listLinks(read, row, { list: 'member', userIds: [userId(user)] });
  const isWanted = (link?.desired ?? link?.observed) === 1;
  return outcomes.has(isWanted)
    ? []
    : [`member ${user} is ${isWanted ? 'wanted' : 'not wanted'} in ${group}`];
}

const LEASE_MS = 5_000;
const STEPS_MAX = 12;

/** The second process sees the first one killed, mostly in the middle of something. */
export function killAtSomeStep({ random, scheduler, replicas, act }: Play): void {
  const [first, second] = replicas;
  if (first === undefined || second === undefined) return;
  const steps = Math.floor(random.next() * STEPS_MAX);
  act(second, async () => {
    for (let step = 0; step < steps; step += 1) await scheduler.pass(second.name, 'goes on');
    first.kill();
  });
}

/** About as long as another process waits before it leads. */
export function sleepLong({ random, scheduler }: Play): Promise<void> {
  return scheduler.clock('B').sleep(Math.round(LEASE_MS * (0.5 + random.next())));
}

/** Somewhere in the middle the leader is not heard of any more, whether it knows or not. */
export function fallSilent({ random, scheduler, office, act }: Play, other: Replica): void {
  const steps = Math.floor(random.next() * STEPS_MAX);
  act(other, async () => {
    for (let step = 0; step < steps; step += 1) await scheduler.pass(other.name, 'goes on');
    office.silence(random.next);
  });
}
