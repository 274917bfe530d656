import { toCount } from '../../domain/text.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import { readRows } from '../../store/resources/managed.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { isSeen } from '../read/reading.ts';
import { lookInto } from './compare-all.ts';
import { compareRow } from './compare-one.ts';
import type { SeenSince } from './comparison.ts';
import { IncompleteSweep, type SweepRun } from './run.ts';

/** Missing users, and missing groups, that one sweep looks for: managed ones, and those that are only observed. */
const LOOKS_MAX = { managed: 50, observed: 200 } as const;
/** Rows of one read of the store. */
const PART = 200;
/** Looking for a missing resource needs nothing beside SCIM. */
const ALONE = { ordinary: true, companyUser: false, admins: false, entities: false };

/** Users or groups that no list showed: a fair choice of as many as one sweep may look for, and their number. */
interface Unseen {
  readonly rows: ResourceRow[];
  count: number;
}

type UnseenOfType = { readonly [of in keyof typeof LOOKS_MAX]: Unseen };

/**
 * Looks for users and groups that no list showed, before anything is concluded from the lists: a managed one that is found
 * proves that its list was not complete. Unmanaged ones that are gone are forgotten; one that is found stays, because a
 * list may always leave out inactive users.
 * @throws IncompleteSweep when a list was not complete
 */
export async function lookForUnseen(run: SweepRun, seen: SeenSince): Promise<void> {
  const unseen = {
    user: await chooseUnseen(run, 'user', seen),
    group: await chooseUnseen(run, 'group', seen),
  };
  for (const part of ['managed', 'observed'] as const) {
    for (const type of ['user', 'group'] as const) {
      const { rows, count } = unseen[type][part];
      for (const row of rows) await lookForOne(run, type, row);
      if (count === rows.length) continue;
      const [one, many] = [`more ${type} is missing and was`, `more ${type}s are missing and were`];
      run.reasons.add(`${toCount(count - rows.length, one, many)} not looked for yet`);
    }
  }
}

async function lookForOne(run: SweepRun, type: 'user' | 'group', row: ResourceRow): Promise<void> {
  const looked = await lookInto(run, row, ALONE);
  if (row.origin === null) return;
  if (looked.kind === 'seen') {
    throw new IncompleteSweep(`the list of ${type}s left out one that is there`);
  }
  if (looked.kind !== 'could-not-look') return;
  run.counts.unknown += 1;
  run.reasons.add(`somebody missing could not be looked for (${looked.reason})`);
}

/** Chooses among all that no list showed. One that is known to be missing was looked for when that was found. */
async function chooseUnseen(
  run: SweepRun,
  type: 'user' | 'group',
  seen: SeenSince,
): Promise<UnseenOfType> {
  const { read } = run.deps.store;
  const chosen = { managed: { rows: [], count: 0 }, observed: { rows: [], count: 0 } };
  for await (const rows of readRows(read, `${type}s`, { limit: PART, of: 'all' })) {
    run.signal.throwIfAborted();
    const unseen = rows.filter((row) => row.deleted_at === null && !isSeen(seen, row));
    const drifts = await listActiveDrifts(
      read,
      unseen.map(({ id }) => id),
    );
    const missing = drifts.filter(({ kind }) => kind === `${type}.missing`);
    const known = new Set(missing.map(({ resource_id }) => resource_id));
    for (const row of unseen.filter(({ id }) => !known.has(id))) {
      if ((await compareRow(read, row, seen))?.isUnseen) choose(run, chosen, row);
    }
  }
  return chosen;
}

/** Gives each row the same chance, so that no two sweeps leave out the same ones. */
function choose({ deps }: SweepRun, chosen: UnseenOfType, row: ResourceRow): void {
  const of = row.origin === null ? 'observed' : 'managed';
  const unseen = chosen[of];
  unseen.count += 1;
  const isRoom = unseen.rows.length < LOOKS_MAX[of];
  const place = isRoom ? unseen.rows.length : Math.floor(deps.random() * unseen.count);
  if (place < LOOKS_MAX[of]) unseen.rows[place] = row;
}
