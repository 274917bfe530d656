import { setImmediate as nextTurn } from 'node:timers/promises';
import { listActiveDrifts } from '../../store/drifts.ts';
import { findFact, saveFact } from '../../store/facts.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { UnseenPart, UnseenQuery } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';
import { isUnchanged, type Judgement, type SeenSince, UNKNOWN } from './judgement.ts';
import { type Suspect, untilSettled } from './look-again.ts';
import type { Resources } from './resources.ts';
import { IncompleteSweep, type SweepRun, writeHeld } from './run.ts';
import { compareWithKnown, countSettled, storeSettled } from './settle.ts';
import type { Sighting } from './sighting.ts';

/** How many missing people, and how many missing groups, one sweep looks for; the next goes on with the others. */
const LOOKS_MAX = { managed: 50, observed: 200 } as const;

/** After which row the next sweep goes on looking; absent: it begins with the first. */
type Places = Readonly<Record<string, number>>;
const PLACES_FACT = 'sweep-missing';

/** Rows that are gone through in one read of the store. */
const PART = 1_000;
/** Whether somebody is there needs nothing else. */
const ALONE = { companyUser: false, admins: false };

/** Whom no list showed, and whom the service says it does not have. */
export type Missing<Row extends UserRow | GroupRow> = readonly Suspect<Row>[];

/**
 * Looks for everybody whom no list showed, before anything is concluded. "Not in the list" is a suspicion; one who
 * is there after all shows that the list was not complete.
 * @throws IncompleteSweep then
 */
export async function lookForMissing<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  seen: SeenSince,
): Promise<Missing<Row>> {
  const confirmed: Suspect<Row>[] = [];
  await lookForUnseen(run, resources, { seen, of: 'managed' }, async (suspect, sighting) => {
    if (sighting.kind === 'seen') {
      throw new IncompleteSweep(`the list of ${resources.type}s left out one that is there`);
    }
    if (sighting.kind === 'gone') confirmed.push(suspect);
    else {
      run.counts.unknown += 1;
      run.reasons.add(`somebody missing could not be looked for (${sighting.reason})`);
    }
  });
  return confirmed;
}

/**
 * Forgets the unmanaged whom no list showed and whom the service says it does not have. One who is there although a
 * list left them out stays: such a list may leave the inactive out always.
 */
export async function endUnseen<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  seen: SeenSince,
): Promise<void> {
  await lookForUnseen(run, resources, { seen, of: 'observed' }, async ({ row }, sighting) => {
    if (sighting.kind === 'could-not-look') return;
    await writeHeld(run, async (tx) => {
      const locked = await resources.lock(tx, row);
      // Adopted meanwhile, or written: whoever did knows better.
      if (locked === undefined || locked.origin !== null || !isUnchanged(locked, row)) return;
      if (sighting.kind === 'seen') await sighting.store(tx, locked);
      else await resources.end(tx, locked, run.deps.clock.now());
    });
  });
}

/** Whom no list showed, managed or not. */
interface Unseen {
  readonly seen: SeenSince;
  readonly of: UnseenQuery['of'];
}

/** Looks for as many of them as one sweep may, and hands on what each look showed. */
async function lookForUnseen<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  unseen: Unseen,
  use: (suspect: Suspect<Row>, sighting: Sighting<Row>) => Promise<void>,
): Promise<void> {
  const { type } = resources;
  const place = unseen.of === 'managed' ? type : `${type}-observed`;
  const places = await findFact<Places>(run.deps.store.read, PLACES_FACT);
  const { suspects, others } = await listSuspects(run, resources, {
    ...unseen,
    from: places?.[place] ?? 0,
  });
  for (const suspect of suspects) {
    run.signal.throwIfAborted();
    await untilSettled(run, suspect.row.id);
    await use(suspect, await resources.look(run, suspect.row, ALONE));
  }
  if (others > 0) {
    run.reasons.add(`${others} more ${type}s are missing and were not looked for yet`);
  }
  await savePlace(run, place, others > 0 ? suspects.at(-1)?.row.seq : undefined);
}

async function savePlace(run: SweepRun, place: string, seq: number | undefined): Promise<void> {
  await writeHeld(run, async (tx) => {
    const { [place]: before, ...others } = (await findFact<Places>(tx, PLACES_FACT)) ?? {};
    if (before === seq) return;
    const value: Places = seq === undefined ? others : { ...others, [place]: seq };
    await saveFact(tx, { name: PLACES_FACT, value, now: run.deps.clock.now() });
  });
}

/** Stores who is really gone, unless somebody has written them meanwhile: nothing else can be wrong with the lists any more. */
export async function storeMissing<Row extends UserRow | GroupRow>(
  run: SweepRun,
  { lock }: Resources<Row>,
  missing: Missing<Row>,
): Promise<void> {
  for (const { row, judgement } of missing) {
    const settled = await writeHeld(run, async (tx) => {
      const locked = await lock(tx, row);
      const isStill = locked !== undefined && isUnchanged(locked, row);
      const compared = compareWithKnown(isStill ? judgement : UNKNOWN, []);
      await storeSettled(tx, compared, { detector: 'sweep', now: run.deps.clock.now() });
      return compared;
    });
    countSettled(run, settled);
  }
}

/** As many as may be looked for: those after `from` first, then those before. */
async function listSuspects<Row extends UserRow | GroupRow>(
  { deps, signal }: SweepRun,
  { listUnseen, judge }: Resources<Row>,
  { seen, of, from }: Unseen & { readonly from: number },
): Promise<{ suspects: Suspect<Row>[]; others: number }> {
  const { read } = deps.store;
  const [before, after]: [Suspect<Row>[], Suspect<Row>[]] = [[], []];
  const max = LOOKS_MAX[of];
  let count = 0;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: UnseenPart<Row> = await listUnseen(read, {
      since: seen.since,
      of,
      afterSeq,
      limit: PART,
    });
    const known = await listKnownMissing(read, part.rows);
    for (const row of part.rows) {
      // One that is known to be missing was looked for when it was found; it is only confirmed.
      if (known.has(row.id)) continue;
      const judgement = await judge(read, row, seen);
      if (!isSuspect(judgement)) continue;
      count += 1;
      const place = row.seq > from ? after : before;
      if (place.length < max) place.push({ row, judgement });
    }
    afterSeq = part.lastSeq;
    // Reads of the store alone would keep the process from everything else.
    await nextTurn();
    signal.throwIfAborted();
  }
  const suspects = [...after, ...before].slice(0, max);
  return { suspects, others: count - suspects.length };
}

function isSuspect(judgement: Judgement): boolean {
  return (
    judgement.kind === 'missing' || (judgement.kind === 'judged' && judgement.isUnseen === true)
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
