import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import { type DriftRow, listActiveDrifts } from '../../store/drifts.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';
import { type Judgement, type SeenSince, UNKNOWN } from './judgement.ts';
import { lookAgain, type Suspect } from './look-again.ts';
import type { Resources } from './resources.ts';
import { type SweepRun, writeHeld } from './run.ts';
import { compareWithKnown, countSettled, type Settled, storeSettled } from './settle.ts';

/**
 * Compares everybody, or every group, with what the complete lists showed. What is known already is confirmed
 * or gone by that alone; what is new is looked at again, part by part, so that no more than one part is in memory.
 */
export async function compareAll<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  seen: SeenSince,
): Promise<void> {
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    const part: Part<Row> = await comparePart(run, resources, { afterSeq, seen });
    for (const suspect of part.suspects) await lookAgain(run, resources, { suspect, seen });
    afterSeq = part.lastSeq;
    run.signal.throwIfAborted();
  }
}

interface Part<Row extends UserRow | GroupRow> {
  readonly suspects: readonly Suspect<Row>[];
  /** The last row of the part; undefined: there was none. */
  readonly lastSeq: number | undefined;
}

async function comparePart<Row extends UserRow | GroupRow>(
  run: SweepRun,
  resources: Resources<Row>,
  { afterSeq, seen }: { afterSeq: number; seen: SeenSince },
): Promise<Part<Row>> {
  const { list, part: limit, type } = resources;
  const compared = await writeHeld(run, async (tx) => {
    const rows = await list(tx, { afterSeq, limit });
    // A call that began before the sweep may have ended in it.
    const workedSince = seen.since - run.deps.policy.lease.lengthMs;
    const judged = await judgeAll(tx, resources, { rows, seen, workedSince });
    const results = await settleAll(tx, judged, { seen, now: run.deps.clock.now() });
    return { ...results, judged, lastSeq: rows.at(-1)?.seq };
  });
  countSettled(run, compared.settled);
  run.counts[`${type}s`] += compared.judged.length;
  for (const { judgement } of compared.judged) {
    if (judgement.kind === 'unknown') run.counts.unknown += 1;
    if (judgement.kind !== 'judged' || judgement.leftOutBy === undefined) continue;
    run.reasons.add(`the list ${judgement.leftOutBy} left out what another list shows`);
  }
  return compared;
}

async function judgeAll<Row extends UserRow | GroupRow>(
  tx: Db,
  resources: Resources<Row>,
  { rows, seen, workedSince }: { rows: readonly Row[]; seen: SeenSince; workedSince: number },
): Promise<Suspect<Row>[]> {
  const judged: Suspect<Row>[] = [];
  for (const row of rows) {
    const judgement = await resources.judge(tx, row, seen);
    const isDropped = isLeftOut(judgement) && (await wasTouched(tx, row, workedSince));
    judged.push({ row, judgement: isDropped ? UNKNOWN : judgement });
  }
  return judged;
}

function isLeftOut(judgement: Judgement): boolean {
  return judgement.kind === 'judged' && judgement.leftOutBy !== undefined;
}

/** What a list says of somebody who is worked on is dropped, so that it seems to leave them out. */
async function wasTouched(
  tx: Db,
  { id, modified_at, due_at }: UserRow | GroupRow,
  since: number,
): Promise<boolean> {
  if (modified_at >= since || due_at !== null) return true;
  return ((await findNewestOwnCallFor(tx, id)) ?? 0) >= since;
}

async function settleAll<Row extends UserRow | GroupRow>(
  tx: Db,
  judged: readonly Suspect<Row>[],
  { seen, now }: { seen: SeenSince; now: number },
): Promise<{ settled: Settled; suspects: Suspect<Row>[] }> {
  const ids = judged.map(({ row }) => row.id);
  const known = Map.groupBy(await listActiveDrifts(tx, ids), ({ resource_id }) => resource_id);
  const settled = createSettled();
  const suspects: Suspect<Row>[] = [];
  for (const suspect of judged) {
    const compared = compareWithKnown(suspect.judgement, known.get(suspect.row.id) ?? []);
    settled.confirmed.push(...compared.confirmed);
    settled.gone.push(...compared.gone);
    if (compared.fresh.length === 0) continue;
    if (wasSeenBefore(suspect.row, seen)) settled.fresh.push(...compared.fresh);
    else if (isToBeLookedAt(suspect.judgement)) suspects.push(suspect);
  }
  await storeSettled(tx, settled, { detector: 'sweep', now });
  return { settled, suspects };
}

function createSettled() {
  const confirmed: Settled['confirmed'][number][] = [];
  const gone: DriftRow[] = [];
  const fresh: Settled['fresh'][number][] = [];
  return { confirmed, gone, fresh };
}

/** An earlier complete read showed this unmanaged one already, so this is the second look. */
function wasSeenBefore({ origin, created_at }: UserRow | GroupRow, { since }: SeenSince): boolean {
  return origin === null && created_at < since;
}

/** Who is missing was looked for before anything was compared. */
function isToBeLookedAt({ kind }: Judgement): boolean {
  return kind === 'judged';
}
