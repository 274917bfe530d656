import { toDifferenceKey } from '../../domain/drift.ts';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { UserRow } from '../../store/users/users.ts';
import { isUnchanged, type Judgement, type SeenSince } from './judgement.ts';
import type { Resources } from './resources.ts';
import { type SweepRun, writeHeld } from './run.ts';
import { compareWithKnown, countSettled, storeSettled } from './settle.ts';
import { toLookNeeds } from './sighting.ts';

/** A person or group in whom a list showed a difference that is new. */
export interface Suspect<Row extends UserRow | GroupRow> {
  readonly row: Row;
  readonly judgement: Judgement;
}

/**
 * The second look: what it shows as well is drift. What was written since the lists were read is left to the
 * next sweep, so is what could not be looked at.
 */
export async function lookAgain<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  { suspect, seen }: { suspect: Suspect<Row>; seen: SeenSince },
): Promise<void> {
  const { deps, counts, reasons } = run;
  const { row, judgement } = suspect;
  run.signal.throwIfAborted();
  await untilSettled(run, row.id);
  const differences = judgement.kind === 'judged' ? judgement.differences : [];
  const kinds = differences.map(({ kind }) => kind);
  const needs = toLookNeeds(kinds, seen.deactivation);
  const sighting = await resources.look(run, row, needs);
  if (sighting.kind === 'could-not-look') {
    reasons.add(`what was seen to differ could not be looked at again (${sighting.reason})`);
  }
  if (sighting.kind !== 'seen') {
    counts.unknown += 1;
    return;
  }
  const settled = await writeHeld(run, async (tx) => {
    const locked = await resources.lock(tx, row);
    if (locked === undefined || !isUnchanged(locked, row)) return undefined;
    await sighting.store(tx, locked);
    const fresh = await resources.lock(tx, row);
    if (fresh === undefined) return undefined;
    const again = keepTwice(judgement, await resources.judge(tx, fresh, seen));
    const compared = compareWithKnown(again, await listActiveDrifts(tx, [row.id]));
    await storeSettled(tx, compared, { detector: 'sweep', now: deps.clock.now() });
    return compared;
  });
  if (settled === undefined) counts.unknown += 1;
  else countSettled(run, settled);
}

/** The service may show a write of our own late, so what follows one closely proves nothing. */
export async function untilSettled(
  { deps, settleMs, signal }: SweepRun,
  id: string,
): Promise<void> {
  const { store, clock } = deps;
  const lastAt = await findNewestOwnCallFor(store.read, id);
  const restMs = (lastAt ?? 0) + settleMs - clock.now();
  if (restMs > 0) await clock.sleep(restMs, signal);
}

/** What only one of the two reads showed is no drift. */
function keepTwice(first: Judgement, second: Judgement): Judgement {
  if (second.kind !== 'judged') return second;
  const differences = first.kind === 'judged' ? first.differences : [];
  const keys = new Set(differences.map(toDifferenceKey));
  const twice = second.differences.filter((one) => keys.has(toDifferenceKey(one)));
  return { ...second, differences: twice };
}
