import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONCLUDED } from '../../store/drifts.ts';
import type { LinkRecord } from '../../store/logs.ts';
import { listAskers, listLinkRecords } from '../../store/logs.ts';
import { listMeant } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findOne } from '../../store/tables.ts';
import { InvalidRequest } from '../http/body.ts';
import { OLDEST, parseCursor } from '../http/list-query.ts';
import { getOnly, ok, route } from '../http/route.ts';
import { records } from '../lists/records.ts';
import { addCredentialNames, parseDate } from '../records/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toMoment, toView } from '../schemas/schemas.ts';

/** Request for who was in the lists of groups at a moment, group by group in order of creation. */
export const reportRoutes = [
  route(records.ACCESS, async ({ store: { read: db }, clock, recordsStored }, { query }) => {
    const { limit, cursor, filters } = query;
    const at = parseDate('at', filters.at ?? toMoment(clock.now()));
    if (at > clock.now()) throw new InvalidRequest('`at` is still to come.');
    await recordsStored();
    const only = filters.group && getOnly(await listMeant(db, filters.group, 'group'));
    const items: OpsJson<'GroupAccess'>[] = [];
    let [seq = OLDEST, place = 0] = parseCursor(cursor);
    for (; ; await nextTurn()) {
      const which = { seq: { '>=': seq }, ...(only && { id: only.id }) };
      const [group] = await listRows(db, 'group', which, { order: 'seq', limit: 1 });
      if (group === undefined) return ok({ items, nextCursor: null });
      if (items.length === limit) return ok({ items, nextCursor: `${seq}-${place}` });
      const present = await listPresent(db, group, at);
      const first = group.seq === seq ? place : 0;
      const end = Math.min(first + limit - items.length, present.length);
      items.push(...(await describe(db, group, present.slice(first, end))));
      [seq, place] = end < present.length ? [group.seq, end] : [group.seq + 1, 0];
    }
  }),
] as const;

/** Lists who was in the lists of a group: the next change tells what was before it; without one it is as it is seen now. */
async function listPresent(db: Db, group: ResourceRow, at: number) {
  const isKept = await isAllKept(db, group, at);
  const kept = await listLinkRecords(db, group);
  return [...Map.groupBy(kept, ({ role, user }) => `${role} ${user}`).values()].flatMap((ofOne) => {
    const link = ofOne.find(({ source }) => source === 'link');
    const changes = ofOne.filter(({ source }) => source !== 'link');
    const before = changes.filter((one) => one.at <= at);
    const last = before.at(-1)?.came;
    const next = changes.find((one) => one.at > at && one.came !== last)?.came;
    // The links of a deleted group are gone.
    const seen = Number(group.deleted_at) > at ? last : link === undefined ? 0 : link.came;
    const came = next === undefined ? seen : 1 - Number(next);
    if (came === 0) return [];
    const entries = before.slice(before.findLastIndex((one) => one.came === 0) + 1);
    const entered = findEntry(entries, link?.state === 'rule' && next === undefined);
    const certain = isKept && came === 1 && last !== 0;
    return ofOne.slice(0, 1).map((one) => ({ ...one, ...entered, at, certain }));
  });
}

/** What brought a user in, of what showed it since. */
function findEntry(entries: readonly LinkRecord[], isRuled: boolean) {
  const entry = entries.find(({ source }) => source === 'call') ?? entries[0];
  if (entry?.source === 'call') return { entry, how: isRuled ? 'rule' : 'bridge' } as const;
  const isAccepted = entries.some(({ state }) => state === 'accepted');
  return { entry, how: !entry ? 'found' : isAccepted ? 'accepted' : 'others' } as const;
}

/** True if each change of a group since then is kept: it was managed, and sweeps had begun to look for drift. */
async function isAllKept(db: Db, { id, origin }: ResourceRow, at: number): Promise<boolean> {
  const sweep = await findOne(db, 'sweeps', { status: CONCLUDED, ended_at: { '<=': at } });
  const asked = { resource_id: id, method: 'POST', status: { '<': 400 }, at: { '>': at } };
  const request = await findOne(db, 'requests', asked);
  const act = await findOne(db, 'acts', { target: id, act: 'adopt', at: { '>': at } });
  return origin !== null && sweep !== undefined && request === undefined && act === undefined;
}

type Presence = Awaited<ReturnType<typeof listPresent>>[number];

async function describe(db: Db, { id, name }: ResourceRow, some: readonly Presence[]) {
  const changes = some.map(({ role, how, entry }) => {
    const at = how === 'bridge' && entry ? entry.at : 0;
    return { kind: `${role}.add`, resource_id: id, at } as const;
  });
  const askers = await addCredentialNames(db, await listAskers(db, changes));
  return some.map(({ user, entry, ...one }, place) => {
    const asker = askers[place];
    const isPlanned = one.how === 'bridge' && Number(entry?.released) > (asker?.at ?? 0);
    return toView('GroupAccess', one, {
      how: isPlanned ? 'plan' : asker ? 'request' : one.how,
      group: { id, name },
      user: { id: user, name: one.name },
      since: entry?.at ?? null,
      by: isPlanned || entry?.source !== 'call' ? (entry?.by ?? null) : null,
      asked: asker ? { ...asker, requestId: asker.request_id } : null,
    });
  });
}
