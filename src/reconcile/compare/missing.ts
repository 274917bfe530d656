import { setImmediate as nextTurn } from 'node:timers/promises';
import { toCount } from '../../domain/text.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import { createFact } from '../../store/facts.ts';
import {
  endObserved,
  listUnseen,
  type UnseenPart,
  type UnseenQuery,
} from '../../store/resources/managed.ts';
import { lockAgain } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { compareRow } from './compare-row.ts';
import { type Comparison, isUnchanged, type SeenSince, UNKNOWN } from './comparison.ts';
import { countDriftChanges, storeComparison } from './drift-changes.ts';
import { lookAt, type Observation, storeLook } from './look.ts';
import { awaitQuiet, type Suspect } from './look-again.ts';
import { IncompleteSweep, type SweepRun } from './run.ts';

/** Missing users, and missing groups, that one sweep looks for; the next sweep goes on with the others. */
const LOOKS_MAX = { managed: 50, observed: 200 } as const;

/** Row after which the next sweep goes on looking; absent: it begins with the first. */
type Places = Readonly<Record<string, number>>;
const PLACES = createFact<Places>('sweep-missing');

/** Rows of one read of the store. */
const PART = 1_000;
/** Looking for a missing resource needs nothing beside SCIM. */
const ALONE = { ordinary: true, companyUser: false, admins: false, entities: false };

/**
 * Looks for every resource that no list showed, before anything is concluded from the lists. A found one proves that
 * its list was not complete.
 * @throws IncompleteSweep when a list was not complete
 */
export async function lookForMissing(
  run: SweepRun,
  type: 'user' | 'group',
  seen: SeenSince,
): Promise<Suspect[]> {
  const confirmed: Suspect[] = [];
  await lookForUnseen(run, type, { seen, of: 'managed' }, async (suspect, observation) => {
    if (observation.kind === 'seen') {
      throw new IncompleteSweep(`the list of ${type}s left out one that is there`);
    }
    if (observation.kind === 'gone') confirmed.push(suspect);
    else {
      run.counts.unknown += 1;
      run.reasons.add(`somebody missing could not be looked for (${observation.reason})`);
    }
  });
  return confirmed;
}

/**
 * Forgets unmanaged resources that no list showed and that the service says it does not have. A found one stays: a list
 * may always leave out inactive users.
 */
export async function endUnseen(
  run: SweepRun,
  type: 'user' | 'group',
  seen: SeenSince,
): Promise<void> {
  await lookForUnseen(run, type, { seen, of: 'observed' }, async ({ row }, observation) => {
    if (observation.kind === 'could-not-look') return;
    await run.deps.store.write(async (tx) => {
      // Where it was adopted or written meanwhile, that write knows better.
      const fresh = await storeLook(tx, row, observation);
      if (fresh && observation.kind === 'gone') await endObserved(tx, fresh, run.deps.clock.now());
    });
  });
}

/** Query for resources that no list showed, managed or not. */
interface Unseen {
  readonly seen: SeenSince;
  readonly of: UnseenQuery['of'];
}

/** Looks for as many missing resources as one sweep may, and hands on the result of each look. */
async function lookForUnseen(
  run: SweepRun,
  type: 'user' | 'group',
  unseen: Unseen,
  use: (suspect: Suspect, observation: Observation) => Promise<void>,
): Promise<void> {
  const place = unseen.of === 'managed' ? type : `${type}-observed`;
  const places = await PLACES.find(run.deps.store.read);
  const { suspects, others } = await listSuspects(run, type, {
    ...unseen,
    from: places?.[place] ?? 0,
  });
  for (const suspect of suspects) {
    run.signal.throwIfAborted();
    await awaitQuiet(run, suspect.row.id);
    await use(suspect, await lookAt(run, suspect.row, ALONE));
  }
  if (others > 0) {
    run.reasons.add(
      `${toCount(others, `more ${type} is missing and was`, `more ${type}s are missing and were`)} not looked for yet`,
    );
  }
  await savePlace(run, place, others > 0 ? suspects.at(-1)?.row.seq : undefined);
}

async function savePlace(run: SweepRun, place: string, seq: number | undefined): Promise<void> {
  await run.deps.store.write(async (tx) => {
    const { [place]: before, ...others } = (await PLACES.find(tx)) ?? {};
    if (before === seq) return;
    const value: Places = seq === undefined ? others : { ...others, [place]: seq };
    await PLACES.save(tx, value, run.deps.clock.now());
  });
}

/** Stores the missing resources as drift, unless they were written meanwhile. */
export async function storeMissing(run: SweepRun, missing: readonly Suspect[]): Promise<void> {
  for (const { row, comparison } of missing) {
    const changes = await run.deps.store.write(async (tx) => {
      const locked = await lockAgain(tx, row);
      const isStill = locked !== undefined && isUnchanged(locked, row);
      const finding = { detector: 'sweep', now: run.deps.clock.now() } as const;
      const found = { id: row.id, comparison: isStill ? comparison : UNKNOWN };
      return storeComparison(tx, found, finding);
    });
    countDriftChanges(run, changes);
  }
}

/** Lists as many as may be looked for: those after `from` first, then those before. */
async function listSuspects(
  { deps, signal }: SweepRun,
  type: 'user' | 'group',
  { seen, of, from }: Unseen & { readonly from: number },
): Promise<{ suspects: Suspect[]; others: number }> {
  const { read } = deps.store;
  const [before, after]: [Suspect[], Suspect[]] = [[], []];
  const max = LOOKS_MAX[of];
  let count = 0;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: UnseenPart = await listUnseen(read, `${type}s`, {
      since: seen.since,
      of,
      afterSeq,
      limit: PART,
    });
    const known = await listKnownMissing(read, part.rows);
    for (const row of part.rows) {
      // A known missing resource was looked for when it was found; it is only confirmed.
      if (known.has(row.id)) continue;
      const comparison = await compareRow(read, row, seen);
      if (!isSuspect(comparison)) continue;
      count += 1;
      const place = row.seq > from ? after : before;
      if (place.length < max) place.push({ row, comparison });
    }
    afterSeq = part.lastSeq;
    // Many reads of the store in a row would block the event loop.
    await nextTurn();
    signal.throwIfAborted();
  }
  const suspects = [...after, ...before].slice(0, max);
  return { suspects, others: count - suspects.length };
}

function isSuspect(comparison: Comparison): boolean {
  return (
    comparison.kind === 'missing' ||
    (comparison.kind === 'compared' && comparison.isUnseen === true)
  );
}

async function listKnownMissing(
  db: Db,
  rows: readonly { readonly id: string }[],
): Promise<Set<string>> {
  const ids = rows.map(({ id }) => id);
  const open = await listActiveDrifts(db, ids);
  const missing = open.filter(({ kind }) => kind.endsWith('.missing'));
  return new Set(missing.map(({ resource_id }) => resource_id));
}
