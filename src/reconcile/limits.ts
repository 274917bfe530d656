import { isWaiting, listWaiting, onlyWaiting } from '../domain/cell.ts';
import { findGrant, listHarms, type SentChange, toChangeKey } from '../domain/change.ts';
import { BridgeError } from '../domain/errors.ts';
import {
  exceedsLimit,
  GRANT_NAMES,
  HARM_KINDS,
  HARM_WINDOW_MS,
  type HarmKind,
  type HarmLimit,
  toHarmWords,
} from '../domain/harm.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { dropChange, LINK_LISTS, toLinkText } from '../domain/link.ts';
import { type PlanAction, toPlace } from '../domain/plan.ts';
import { type Deactivation, toWantedSuspension } from '../domain/user.ts';
import { countProviderHarm, type WrittenChange } from '../store/audit/own-calls.ts';
import { forgetRemoval } from '../store/due.ts';
import { parseCells } from '../store/engine/columns.ts';
import { createFact } from '../store/facts.ts';
import { changeLinks, type StoredLink } from '../store/links/links.ts';
import {
  countPopulation,
  listAutomaticChanges,
  listHeldChanges,
  lockHeld,
  toAction,
} from '../store/plans.ts';
import {
  type GroupRow,
  lockRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../store/resources/rows.ts';
import { toUserState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import { addPlan, growPlan, tellPlan } from './add-plan.ts';
import type { ReconcileDeps } from './deps.ts';
import { compareKnown } from './differences.ts';

/** The time from which harm counts, set by an operator. */
const FACT = createFact<{ readonly at: number }>('provider-limit');
/** Harm that is counted at most. */
const HARM_MAX = 1_000_000;

/** Removals that are more than providers may ask for; nothing of the call was sent. */
export class TooMuchHarm extends BridgeError {
  readonly harms: ReadonlySet<HarmKind>;

  constructor(harms: ReadonlySet<HarmKind>, words: string) {
    super('provider-limit', words);
    this.harms = harms;
  }
}

/** Counts the harm by providers anew, because an operator approved it. `now` is epoch milliseconds. */
export async function restartHarmCount(tx: Db, now: number): Promise<void> {
  await FACT.save(tx, { at: now }, now);
}

/** Finds the time from which harm by providers counts (epoch milliseconds). */
async function findHarmStart(db: Db, now: number): Promise<number> {
  const approved = await FACT.find(db);
  return Math.max(now - HARM_WINDOW_MS, approved?.at ?? 0);
}

/** Counts whom providers have harmed since then, and all whom that could have concerned. */
async function countHarm(db: Db, harm: HarmKind, since: number) {
  const count = await countProviderHarm(db, { harm, since, max: HARM_MAX });
  return { count, population: count === 0 ? 0 : count + (await countPopulation(db, harm)) };
}

/**
 * Lets a call leave that this transaction has written into the ledger, unless providers would have removed access
 * from more users, or members from more groups, than allowed in 24 hours; settings: limits.provider.
 * A repeated call counts once. A plan has limits of its own. @throws TooMuchHarm
 */
export async function assertWithinLimit(
  tx: Db,
  { policy: { providerHarm }, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  written: readonly WrittenChange[],
): Promise<void> {
  const { count: countMax, percent } = providerHarm;
  if (countMax === 0) return;
  const harms = new Set(listHarms(written.filter(({ is_repair }) => is_repair === 0)));
  if (harms.size === 0) return;
  const since = await findHarmStart(tx, clock.now());
  const exceeded = new Map<HarmKind, string>();
  for (const harm of harms) {
    const few = await countProviderHarm(tx, { harm, since, max: countMax + 1 });
    if (few <= countMax) continue;
    // Only above the number is the share worth two counts of everything.
    const { count, population } = await countHarm(tx, harm, since);
    if (count * 100 <= percent * population) continue;
    const words = `${toHarmWords(harm, count)} in 24 hours, limits.provider allows ${countMax} and ${percent} % of ${population}`;
    exceeded.set(harm, words);
  }
  if (exceeded.size === 0) return;
  throw new TooMuchHarm(new Set(exceeded.keys()), [...exceeded.values()].join('; '));
}

/**
 * Lists the limits that these repairs would exceed together with the last 24 hours, in words; empty when
 * none. What repairs grant has the limits of what they take. The same change of the same user counts once.
 */
export async function listExceeded(
  tx: Db,
  { limit, now }: { readonly limit: HarmLimit; readonly now: number },
  actions: readonly PlanAction[],
): Promise<string[]> {
  const limits = actions.flatMap((action) => findLimit(action) ?? []);
  if (limits.length === 0) return [];
  const done = (await listAutomaticChanges(tx, now - HARM_WINDOW_MS)).map(toAction);
  const exceeded: string[] = [];
  for (const [name, harm] of new Map(limits.map((one) => [one.name, one.harm]))) {
    const same = [...actions, ...done].filter((change) => findLimit(change)?.name === name);
    const count = new Set(same.map((one) => `${one.resourceId} ${one.memberId}`)).size;
    const population = await countPopulation(tx, harm);
    if (!exceedsLimit(limit, { count, population })) continue;
    exceeded.push(
      `${name}: ${count} in 24 hours of ${population}, more than ${limit.count} or ${limit.percent} %`,
    );
  }
  return exceeded;
}

/** The limit of a change: that of its harm, or the same under another name for what it grants; undefined: none. */
function findLimit({ kind, harm: done }: Pick<PlanAction, 'kind' | 'harm'>) {
  const harm = done ?? findGrant(kind);
  return harm && { name: done ?? GRANT_NAMES[harm], harm };
}

/** Age at which a count of harm is renewed, in milliseconds: health is asked for every few seconds. */
const COUNTED_MS = 30_000;

/** Harms that providers did to more subjects within 24 hours than `limits.repair` allows. */
export type ExceededHarm = { readonly harm: HarmKind; readonly count: number };

/** Creates what lists the harms of providers above this limit. */
export function createHarmWatch(
  { store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>,
  limit: HarmLimit,
): () => Promise<readonly ExceededHarm[]> {
  let counted: { at: number; harms: readonly ExceededHarm[] } | undefined;
  return async () => {
    const now = clock.now();
    if (counted !== undefined && now - counted.at < COUNTED_MS) return counted.harms;
    const since = await findHarmStart(store.read, now);
    const harms: ExceededHarm[] = [];
    for (const harm of HARM_KINDS) {
      const harmed = await countHarm(store.read, harm, since);
      if (exceedsLimit(limit, harmed)) harms.push({ harm, count: harmed.count });
    }
    counted = { at: now, harms };
    return harms;
  };
}

/** Removals of one call that must not leave. */
export interface Removals {
  readonly key: ResourceKey;
  /** Version from which the call was planned. */
  readonly version: number;
  readonly changes: readonly SentChange[];
  readonly limit: TooMuchHarm;
  readonly deactivation: Deactivation;
}

/**
 * Moves removals from the waiting changes of a user or group into the plan of providers' removals, in one transaction:
 * they wait for an operator, and everything else goes on. False when nothing of the call is planned any other way.
 */
export async function holdRemovals(
  { store, clock, events }: Pick<ReconcileDeps, 'store' | 'clock' | 'events'>,
  removals: Removals,
): Promise<boolean> {
  const { key, version, limit } = removals;
  const { isOther, plan } = await store.write(async (tx) => {
    const held = await lockHeld(tx, ['provider']);
    const row = await lockRow(tx, key);
    // It was written since, so it is planned anew.
    if (row?.version !== version) return { isOther: true };
    const actions = await take(tx, row, removals);
    if (actions.length === 0) return { isOther: false };
    const made = { reason: limit.message, now: clock.now() };
    if (held === undefined) {
      const standing = { status: 'held', source: 'provider', automatic: 0 } as const;
      return { isOther: true, plan: await addPlan(tx, actions, { ...standing, ...made }) };
    }
    const known = (await listHeldChanges(tx, [key.id])).map(({ kind, member_id: memberId }) =>
      toChangeKey({ kind, memberId }),
    );
    const added = actions.filter((action) => !known.includes(toChangeKey(action)));
    if (added.length === 0) return { isOther: true };
    return { isOther: true, plan: await growPlan(tx, held, added, made) };
  });
  if (plan !== undefined) tellPlan(events, plan);
  return isOther;
}

/**
 * Takes the removals of a call out of what waits of a user or group, as far as their limit is exceeded. What differs from
 * then on there are the actions of the plan.
 */
async function take(tx: Db, row: ResourceRow, removals: Removals): Promise<PlanAction[]> {
  const { changes, limit, deactivation, version } = removals;
  const taken = changes.filter((change) =>
    listHarms([change]).some((harm) => limit.harms.has(harm)),
  );
  const fields = row.type === 'user' ? listTakenFields(row, removals) : taken.flatMap(toField);
  const held = parseCells<string>(row);
  const left = listWaiting(held).filter((field) => !fields.includes(field));
  const cells = JSON.stringify(onlyWaiting(held, left));
  await updateRow(tx, row, { cells });
  const links = new Set(
    row.type === 'user' ? [] : (await takeLinks(tx, row, taken)).map(toLinkText),
  );
  const differing = (await compareKnown(tx, { ...row, cells }, deactivation)).changes.values();
  const actions = [...differing].filter((action) => {
    const place = toPlace(action);
    return place.kind === 'link'
      ? links.has(toLinkText(place))
      : place.fields.some((field) => fields.includes(field));
  });
  // A leaver is waited for until the service holds it, whoever decides when that is; a group is not.
  if (row.type === 'group' && actions.length > 0) await forgetRemoval(tx, row, version);
  return actions;
}

/** The fields in which a user loses access. */
function listTakenFields(row: UserRow, { limit, deactivation }: Removals): string[] {
  if (!limit.harms.has('deactivate')) return [];
  const { desired, deleted } = toUserState(row);
  const isTaken = deleted || !desired.active;
  const isSuspended = toWantedSuspension(desired, deactivation) === true;
  return [isTaken ? 'active' : [], isSuspended ? 'temporarilyInactive' : []].flat();
}

/** The field of a group that a change removes: the group itself, or an entity. */
function toField({ kind, memberId }: SentChange): string[] {
  if (kind === 'group.delete') return ['existence'];
  return kind === 'entity.remove' && memberId !== undefined ? [memberId] : [];
}

/** Takes the members and admins whom these changes remove, and returns them. */
async function takeLinks(
  tx: Db,
  row: GroupRow,
  taken: readonly SentChange[],
): Promise<StoredLink[]> {
  const links: StoredLink[] = [];
  for (const list of LINK_LISTS) {
    const removed = taken.filter(({ kind }) => kind === `${list}.remove`);
    const accounts = removed.map(({ memberId }) => Number(memberId)).filter(Number.isSafeInteger);
    const some = await changeLinks(tx, row, { list, accounts }, (link) =>
      isWaiting(link) && link.desired !== 1 ? dropChange(link) : link,
    );
    links.push(...some);
  }
  return links;
}
