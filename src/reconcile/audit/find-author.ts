import type { Difference } from '../../domain/drift.ts';
import type { EventView } from '../../store/audit/events.ts';
import { listComparedSince, listEventsAbout } from '../../store/audit/events-about.ts';
import type { Db } from '../../store/store.ts';
import { listOtherActions, toActionRole } from './event-actions.ts';
import { type NamedKinds, toKnownAction } from './known-action.ts';
import { TOLERANCE } from './match-events.ts';

/** Newest events that are searched for the author of one difference. */
const EVENTS_MAX = 50;

/** Difference with its possible time. Times are epoch milliseconds by our own clock. */
export interface AuthorQuestion
  extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly until: number;
  /** Time from which a vague event may have caused it. */
  readonly vagueFrom: number;
}

/** Author of a difference as the audit log tells; unknown parts are null. */
export interface Author extends Pick<EventView, 'authorId' | 'username' | 'address' | 'message'> {
  readonly eventId: string;
  /** Time by the clock of the service, under which its audit log has the event. */
  readonly at: number;
  /** True: an operator did it through the bridge, under its account. */
  readonly operator: boolean;
}

/** Drift with the time when it was first seen (epoch milliseconds). */
interface SeenDrift extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly firstSeenAt: number;
}

/**
 * Finds the authors of drifts, in their order, from the audit log as far as it was read. It is asked again each time,
 * because an event may be read after its difference is seen. What the bridge did itself is no answer; what an operator
 * or another person did with its account is. Undefined where the audit log names no author, or where the shown change
 * was undone since.
 * A vague event counts only after the last sweep that did not find the difference. The number of statements does not
 * grow with the drifts.
 */
export async function findDriftAuthors(
  db: Db,
  drifts: readonly SeenDrift[],
): Promise<(Author | undefined)[]> {
  const moments = drifts.map(({ kind, firstSeenAt: before }) => {
    return { before, admins: /^(admin|entity)\./.test(kind) };
  });
  const compared = await listComparedSince(db, moments);
  const { beforeMs } = TOLERANCE;
  const questions = drifts.map(({ kind, type, resourceId, memberId, firstSeenAt }, place) => {
    const vagueFrom = (compared[place] ?? 0) - beforeMs;
    return { kind, type, resourceId, memberId, until: firstSeenAt, vagueFrom };
  });
  // The clock of the service may be ahead, so a later event may be the cause, where none before is.
  const wide = questions.map((one) => ({ ...one, until: one.until + beforeMs }));
  const candidates = await findCandidates(db, wide);
  // A list that was cut may lack the events before.
  const cut = questions.filter((_, place) => candidates[place]?.length === EVENTS_MAX);
  const found = await findCandidates(db, cut);
  const before = new Map(cut.map((question, place) => [question, found[place]]));
  return questions.map((question, place) => {
    const events = candidates[place] ?? [];
    const inTime = (before.get(question) ?? events).filter(({ at }) => at <= question.until);
    return toAuthor(chooseEvent(inTime, question) ?? chooseEvent(events, question));
  });
}

async function findCandidates(
  db: Db,
  questions: readonly AuthorQuestion[],
): Promise<EventView[][]> {
  const searches = questions.map(({ kind, type, resourceId, memberId, until }) => {
    const isBefore = kind.endsWith('.unmanaged');
    return { type, resourceId, memberId, until, except: listOtherActions(kind), isBefore };
  });
  return listEventsAbout(db, searches, EVENTS_MAX);
}

function toAuthor(event: EventView | undefined): Author | undefined {
  if (event === undefined) return undefined;
  const { id, createdAt, origin, authorId, username, address, message } = event;
  const operator = origin === 'operator';
  return { eventId: id, at: createdAt, authorId, username, address, operator, message };
}

/** Chooses the event that caused a difference; the newest event is first. Pure. */
function chooseEvent(
  events: readonly EventView[],
  { kind, vagueFrom }: Pick<AuthorQuestion, 'kind' | 'vagueFrom'>,
): EventView | undefined {
  let uncertain: EventView | undefined;
  let isPast = false;
  const named = toNamedKinds(kind);
  for (const event of events) {
    const role = toActionRole(kind, toKnownAction(event, named));
    const isOurs = event.origin === 'ours';
    // The difference was ended here, by us or by others, so an older event did not cause it.
    if (role === 'ended' || (role === 'made' && isOurs)) return uncertain;
    if (role === 'made') return event;
    if (role !== 'vague' || event.at < vagueFrom) continue;
    if (isOurs) isPast = true;
    else if (!isPast) uncertain ??= event;
  }
  return uncertain;
}

/** Types of resource that an event names when it concerns a difference of this kind. */
function toNamedKinds(kind: AuthorQuestion['kind']): NamedKinds {
  const isOfUser = kind.startsWith('user.');
  return { user: isOfUser || /^(member|admin)\./.test(kind), group: !isOfUser };
}
