import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../store/database.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import type { GroupRow } from '../../store/groups.ts';
import type { UnseenPart } from '../../store/managed.ts';
import type { UserRow } from '../../store/users.ts';
import { isUnchanged, type SeenSince, UNKNOWN } from './judgement.ts';
import { type Suspect, untilSettled } from './look-again.ts';
import type { Resources } from './resources.ts';
import { IncompleteSweep, type SweepRun, writeHeld } from './run.ts';
import { compareWithKnown, countSettled, storeSettled } from './settle.ts';

/** How many missing people, and how many missing groups, one sweep looks for; the others wait for the next. */
const LOOKS_MAX = 50;

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
  const { suspects, others } = await listSuspects(run, resources, seen);
  for (const suspect of suspects) {
    run.signal.throwIfAborted();
    if (suspect.judgement.kind !== 'missing') continue;
    await untilSettled(run, suspect.row.id);
    const sighting = await resources.look(run, suspect.row, ALONE);
    if (sighting.kind === 'seen') {
      throw new IncompleteSweep(`the list of ${resources.type}s left out one that is there`);
    }
    if (sighting.kind === 'gone') confirmed.push(suspect);
    else {
      run.counts.unknown += 1;
      run.reasons.add(`somebody missing could not be looked for (${sighting.reason})`);
    }
  }
  if (others > 0) {
    run.reasons.add(`${others} more ${resources.type}s are missing and were not looked for yet`);
  }
  return confirmed;
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

async function listSuspects<Row extends UserRow | GroupRow>(
  { deps, signal }: SweepRun,
  { listUnseen, judge }: Resources<Row>,
  seen: SeenSince,
): Promise<{ suspects: Suspect<Row>[]; others: number }> {
  const { read } = deps.store;
  const suspects: Suspect<Row>[] = [];
  let others = 0;
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: UnseenPart<Row> = await listUnseen(read, { ...seen, afterSeq, limit: PART });
    const known = await listKnownMissing(read, part.rows);
    for (const row of part.rows) {
      // One that is known to be missing was looked for when it was found; it is only confirmed.
      if (known.has(row.id)) continue;
      const judgement = await judge(read, row, seen);
      if (judgement.kind !== 'missing') continue;
      if (suspects.length < LOOKS_MAX) suspects.push({ row, judgement });
      else others += 1;
    }
    afterSeq = part.lastSeq;
    // Reads of the store alone would keep the process from everything else.
    await nextTurn();
    signal.throwIfAborted();
  }
  return { suspects, others };
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
