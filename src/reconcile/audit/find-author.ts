import type { Difference } from '../../domain/drift.ts';
import { listCandidates, listComparedSince } from '../../store/audit/event-candidates.ts';
import type { EventView } from '../../store/audit/events.ts';
import type { Db } from '../../store/store.ts';
import { judgeAction, listOtherActions } from './event-actions.ts';
import { type NamedKinds, toKnownAction } from './known-action.ts';
import { TOLERANCE } from './match-events.ts';

/** Events that are weighed, the newest first: what is older than these is not looked for. */
const EVENTS_MAX = 50;

/** A difference, and when it may have come about. Times are epoch milliseconds by our own clock. */
export interface AuthorQuestion
  extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly until: number;
  /** From when on an event that does not say what it did may have done it. */
  readonly vagueFrom: number;
}

/** Who brought a difference about, as the audit log says. What it does not say is null. */
export interface Author {
  readonly eventId: string;
  /** By the clock of the service: it is found in its audit log under this time. */
  readonly at: number;
  readonly authorId: number | null;
  readonly username: string | null;
  readonly address: string | null;
  readonly message: string | null;
}

/** A drift, and when it was first seen (epoch milliseconds). */
export interface SeenDrift extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly firstSeenAt: number;
}

/**
 * Who brought drifts about, in their order, as far as the audit log was read by now: it is asked again each time, because
 * an event may be read later than the difference is seen. What does not say what it did counts only after the last sweep
 * that did not find the difference. A few statements, however many drifts there are.
 */
export async function findDriftAuthors(
  db: Db,
  drifts: readonly SeenDrift[],
): Promise<(Author | undefined)[]> {
  const moments = drifts.map(({ kind, firstSeenAt: before }) => {
    return { before, admins: kind.startsWith('admin.') };
  });
  const compared = await listComparedSince(db, moments);
  const { beforeMs } = TOLERANCE;
  const questions = drifts.map(({ kind, type, resourceId, memberId, firstSeenAt }, place) => {
    const vagueFrom = (compared[place] ?? 0) - beforeMs;
    return { kind, type, resourceId, memberId, until: firstSeenAt, vagueFrom };
  });
  const authors = await findAuthors(db, questions);
  // The clock of the service may be ahead.
  const unknown = questions.flatMap((question, place) =>
    authors[place] === undefined ? [{ ...question, place, until: question.until + beforeMs }] : [],
  );
  const later = await findAuthors(db, unknown);
  for (const [index, { place }] of unknown.entries()) authors[place] = later[index];
  return authors;
}

/**
 * Who may have brought each difference about: the author of the newest event that did just that, else of one that may
 * have. Undefined where the audit log names nobody, or what it shows was undone since. The bridge's own calls are
 * no answer; what a person did with the same account is.
 */
export async function findAuthors(
  db: Db,
  questions: readonly AuthorQuestion[],
): Promise<(Author | undefined)[]> {
  const searches = questions.map(({ kind, type, resourceId, memberId, until }) => {
    const isBefore = kind.endsWith('.unmanaged');
    return { type, resourceId, memberId, until, except: listOtherActions(kind), isBefore };
  });
  const candidates = await listCandidates(db, searches, EVENTS_MAX);
  return questions.map((question, place) => {
    const event = chooseEvent(candidates[place] ?? [], question);
    if (event === undefined) return undefined;
    const { id, createdAt, authorId, username, address, message } = event;
    return { eventId: id, at: createdAt, authorId, username, address, message };
  });
}

/** The event among these, the newest first, that a difference comes from. Pure. */
export function chooseEvent(
  events: readonly EventView[],
  { kind, vagueFrom }: Pick<AuthorQuestion, 'kind' | 'vagueFrom'>,
): EventView | undefined {
  let doubtful: EventView | undefined;
  let isPast = false;
  const named = toNamedKinds(kind);
  for (const event of events) {
    const role = judgeAction(kind, toKnownAction(event, named));
    const isOurs = event.origin === 'ours';
    // What was put right, by us or by others, was so until then.
    if (role === 'ended' || (role === 'made' && isOurs)) return doubtful;
    if (role === 'made') return event;
    if (role !== 'vague' || event.at < vagueFrom) continue;
    if (isOurs) isPast = true;
    else if (!isPast) doubtful ??= event;
  }
  return doubtful;
}

/** Whom an event names that is about a difference of this kind. */
function toNamedKinds(kind: AuthorQuestion['kind']): NamedKinds {
  const isOfUser = kind.startsWith('user.');
  return { user: isOfUser || !kind.startsWith('group.'), group: !isOfUser };
}
