import type { DriftKind } from '../../domain/drift.ts';
import type { LoggedRemoval, RemovalKind, SentRemoval } from '../../domain/leaver.ts';
import type { EventView } from '../../store/audit/events.ts';
import { listEventsAbout } from '../../store/audit/events-about.ts';
import type { LeaverRow } from '../../store/audit/leavers.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import { listOtherActions, toActionRole } from './event-actions.ts';
import { toKnownAction } from './known-action.ts';
import { TOLERANCE } from './match-events.ts';
import { POLL_STATE } from './poll-state.ts';
import { LATE_MS } from './window.ts';

/** Newest events that are searched for one removal. */
const EVENTS_MAX = 50;

/** Differences that the events of a removal cause; the service may log a suspension as either. */
const DIFFERENCES: Readonly<Record<RemovalKind, readonly DriftKind[]>> = {
  deactivated: ['user.deactivated'],
  deleted: ['user.deactivated', 'user.missing'],
  suspended: ['user.deactivated', 'user.access'],
  licence: ['user.access'],
};

/**
 * Finds the entry of the audit log that confirms a removal: of its own call, or of whoever was faster. Undefined while one
 * may still come.
 */
export async function findLoggedRemoval(
  db: Db,
  leaver: LeaverRow,
): Promise<LoggedRemoval | undefined> {
  const end = Math.max(leaver.ended_at ?? 0, leaver.seen_at ?? 0);
  for (const difference of DIFFERENCES[leaver.kind]) {
    const event = await findEvent(db, leaver, { difference, end });
    if (event === undefined) continue;
    const { id: eventId, createdAt: at, origin } = event;
    return { kind: 'logged', eventId, at, ours: origin === 'ours' };
  }
  const state = await POLL_STATE.find(db);
  const isRead = state !== undefined && state.failure === null && state.readAt >= end + LATE_MS;
  return isRead ? { kind: 'silent' } : undefined;
}

/** Finds the newest event that caused a difference until `end` (epoch milliseconds); where a call was sent, since then. */
async function findEvent(
  db: Db,
  { user_id: resourceId, sent: text, accepted_at }: LeaverRow,
  { difference, end }: { readonly difference: DriftKind; readonly end: number },
): Promise<EventView | undefined> {
  const { beforeMs, afterMs } = TOLERANCE;
  const question = {
    ...({ type: 'user', resourceId, memberId: '', isBefore: false } as const),
    from: text === null ? 0 : parseStored<SentRemoval>(text).at - beforeMs,
    until: end + afterMs,
    except: listOtherActions(difference),
  };
  const [events = []] = await listEventsAbout(db, [question], EVENTS_MAX);
  const toRole = (event: EventView) =>
    toActionRole(difference, toKnownAction(event, { user: true, group: false }));
  // Whoever was let in again since was not taken out by an older event.
  const isEnd = (event: EventView) => toRole(event) === 'ended' && event.at < accepted_at;
  const found = events.find((event) => toRole(event) === 'made' || isEnd(event));
  return found === undefined || isEnd(found) ? undefined : found;
}
