import { ask } from '../../domain/cell.ts';
import type { DriftKind } from '../../domain/drift.ts';
import { fail } from '../../domain/failure.ts';
import { groupId, userId } from '../../domain/ids.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { type DriftRow, endDrifts, findDrift, listSentDrifts } from '../../store/drifts.ts';
import { parseCells, toDueClass } from '../../store/engine/columns.ts';
import { claimLinks, failLinks } from '../../store/links/work.ts';
import { updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findDriftAuthors } from '../audit/find-author.ts';
import { POLL_STATE } from '../audit/poll-state.ts';
import { LATE_MS } from '../audit/window.ts';
import { isBusy } from '../compare/comparison.ts';
import { isStillSo, lockCurrent, toPlace } from './current.ts';
import type { DriftDeps } from './deps.ts';
import { toPlanAction } from './make-plan.ts';
import { findObstacle } from './obstacle.ts';

/** Drifts of one part. */
const PART = 500;
/** Kinds of which the audit log names nobody, so that its silence proves nothing. */
const UNNAMED: readonly DriftKind[] = [
  'user.missing',
  'user.renamed',
  'group.missing',
  'group.renamed',
];

/**
 * Creates what reclaims changes that the service accepted and did not make: each run looks into the drifts that the audit
 * log is read far enough for, each once. A difference is no drift where the bridge sent this very change, no complete read
 * came between, and the audit log, which is read beyond it, has nobody who undid it: then the service did not make the change, which
 * waits again with one failed attempt.
 */
export function createReclaimer(deps: DriftDeps): () => Promise<void> {
  const { store, notify } = deps;
  let afterSeq = 0;
  let doneUntil = 0;
  return async () => {
    const log = await POLL_STATE.find(store.read);
    if (log === undefined || log.failure !== null) return;
    // An event may come into the log a little late.
    const until = log.readAt - LATE_MS;
    if (until <= doneUntil) return;
    for (;;) {
      const part = await listSentDrifts(store.read, { afterSeq, until, limit: PART });
      if (await reclaimAll(deps, part.drifts)) notify();
      if (part.lastSeq === undefined) break;
      afterSeq = part.lastSeq;
    }
    doneUntil = until;
  };
}

async function reclaimAll(deps: DriftDeps, drifts: readonly DriftRow[]): Promise<boolean> {
  const sent = drifts.filter(({ kind }) => !UNNAMED.includes(kind));
  const authors = await findDriftAuthors(deps.store.read, sent.map(toSeen));
  let isAny = false;
  for (const [place, { id }] of sent.entries()) {
    if (authors[place] !== undefined) continue;
    isAny = (await deps.store.write((tx) => reclaim(tx, deps, id))) || isAny;
  }
  return isAny;
}

function toSeen({ kind, resource_type: type, resource_id, member_id, first_seen_at }: DriftRow) {
  return { kind, type, resourceId: resource_id, memberId: member_id, firstSeenAt: first_seen_at };
}

/** Lets the change of one drift wait again. False when the drift is over, or nothing may be done about it. */
async function reclaim(tx: Db, deps: DriftDeps, id: string): Promise<boolean> {
  const drift = await findDrift(tx, id);
  if (drift === undefined || (drift.status !== 'open' && drift.status !== 'contested'))
    return false;
  const action = toPlanAction(drift);
  const { kind, resourceId, memberId, harm } = action;
  const current = await lockCurrent(tx, deps, drift);
  if (current === undefined || isBusy(current.row)) return false;
  if (!isStillSo(current, { ...drift, kind })) return false;
  if ((await findObstacle(tx, deps, action)) !== undefined) return false;
  const { row } = current;
  const now = deps.clock.now();
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const place = toPlace(action);
  if (place.kind === 'link') {
    const group = groupId(resourceId);
    const changes = [{ userId: userId(memberId) }];
    const claim = { userIds: [userId(memberId)], version: row.version };
    await claimLinks(tx, place.list, group, claim);
    await failLinks(tx, place.list, group, { ...failing, changes });
  }
  const fields = place.kind === 'fields' ? place.fields : [];
  const asked = ask(parseCells<string>(row), fields, row.version);
  const change = {
    cells: JSON.stringify(fail(asked, { ...failing, fields, held: {} })),
    due_at: now,
    due_class: toDueClass(row.due_class === 0 || harm !== undefined),
  };
  await updateRow(tx, row, change);
  await endDrifts(tx, [drift], { status: 'gone', now });
  return true;
}
