import type { Difference } from '../../domain/drift.ts';
import type { Db } from '../../store/database.ts';
import { type EventView, listEventsAbout, listEventsBefore } from '../../store/event-resources.ts';
import { judgeAction, listOtherActions } from './event-actions.ts';
import { type NamedKinds, toKnownAction } from './known-action.ts';

/** Events that are weighed, the newest first: what is older than these is not looked for. */
const EVENTS_MAX = 50;

/** A difference, and when it may have come about. Times are epoch milliseconds by our own clock. */
export interface AuthorQuestion
  extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly from: number;
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

/**
 * Who may have brought a difference about: the author of the newest event that did just that, else of one that may
 * have. Undefined where the audit log names nobody, or what it shows was undone since. The bridge's own calls are
 * no answer; what a person did with the same account is.
 */
export async function findAuthor(db: Db, question: AuthorQuestion): Promise<Author | undefined> {
  const { kind } = question;
  const search = { ...question, except: listOtherActions(kind), limit: EVENTS_MAX };
  const events = await listEventsAbout(db, search);
  if (kind.endsWith('.unmanaged')) events.push(...(await listEventsBefore(db, search)));
  const event = chooseEvent(events, question);
  if (event === undefined) return undefined;
  const { id, createdAt, authorId, username, address, message } = event;
  return { eventId: id, at: createdAt, authorId, username, address, message };
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
