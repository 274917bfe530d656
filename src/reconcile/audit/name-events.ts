import { findNamed, type NamedResources } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { isIrrelevant } from './event-actions.ts';
import { type EventNames, listEventNames, listMessageWords, type Subject } from './event-names.ts';
import { type EventWords, listSubjects, toKnownAction } from './known-action.ts';
import type { NamedEvent } from './match-events.ts';

/** SCIM ids of users and of groups. */
interface KnownIds {
  readonly user: ReadonlySet<string>;
  readonly group: ReadonlySet<string>;
}

/** Event with the managed users and groups that it names. */
export interface NamedAuditEvent extends NamedEvent {
  readonly audit: AuditEvent;
  /** SCIM ids of all named resources in the store, unmanaged ones too. */
  readonly known: KnownIds;
}

/**
 * Finds the resources that events concern; the result is oldest first. `skewMs` is the known lead of the service's clock
 * over ours.
 */
export async function nameEvents(
  db: Db,
  events: readonly AuditEvent[],
  skewMs = 0,
): Promise<NamedAuditEvent[]> {
  const listed = await listKnownOf(db, events);
  const named = listed.map(({ audit, names, known, managed }): NamedAuditEvent => {
    const kinds = { user: known.user.size > 0, group: known.group.size > 0 };
    return {
      audit,
      action: toKnownAction(audit, kinds),
      isByOthers: false,
      at: audit.createdAt.getTime() - skewMs,
      names,
      known,
      resourceIds: known.user.union(known.group).intersection(managed),
    };
  });
  return named.sort((a, b) => a.at - b.at);
}

/** Event with all its texts and the resources that they identify. */
interface ListedEvent {
  readonly audit: AuditEvent;
  readonly names: EventNames;
  readonly known: KnownIds;
  readonly managed: ReadonlySet<string>;
}

/** Tries the words of the message where no other text of an event identifies a resource. */
async function listKnownOf(db: Db, events: readonly AuditEvent[]): Promise<ListedEvent[]> {
  const listed = await find(db, events, listEventNames);
  const namesNothing = ({ audit, known }: ListedEvent) =>
    known.user.size + known.group.size === 0 && audit.message !== undefined && !isIrrelevant(audit);
  const unnamed = listed.filter(namesNothing).map(({ audit }) => audit);
  if (unnamed.length === 0) return listed;
  const again = new Map((await find(db, unnamed, listMessageWords)).map((one) => [one.audit, one]));
  return listed.map((one) => {
    const {
      known = one.known,
      names = one.names,
      managed = one.managed,
    } = again.get(one.audit) ?? {};
    return known.user.size + known.group.size > 0 ? { ...one, known, names, managed } : one;
  });
}

async function find(
  db: Db,
  events: readonly AuditEvent[],
  list: (event: AuditEvent) => EventNames,
): Promise<ListedEvent[]> {
  const listed = events.map((audit) => ({ audit, names: narrowNumbers(audit, list(audit)) }));
  const found = await findNamed(db, new Set(listed.flatMap(({ names }) => [...names.keys()])));
  const { managed } = found;
  return listed.map((one) => ({ ...one, managed, known: listKnown(one.names, found) }));
}

/**
 * Narrows the types of bare numbers, which may identify a user and a group: the words of the event decide where their
 * place in the event does not.
 */
function narrowNumbers(event: AuditEvent, names: EventNames): EventNames {
  const subjects = new Set(listSubjects(event));
  const narrow = (name: string, types: ReadonlySet<Subject>) =>
    types.size > 1 && /^\d+$/.test(name) ? subjects : types;
  return new Map([...names].map(([name, types]) => [name, narrow(name, types)]));
}

/** Finds the resources behind names. */
function listKnown(names: EventNames, found: NamedResources): KnownIds {
  const listIds = (type: Subject) =>
    [...names].flatMap(([name, types]) =>
      types.has(type) ? [...(found[type].get(name) ?? [])] : [],
    );
  return { user: new Set(listIds('user')), group: new Set(listIds('group')) };
}

/** Category of an event, with the known action that it stands for. */
export function toWords({ action, audit }: NamedAuditEvent): EventWords {
  return { category: audit.category, action };
}
