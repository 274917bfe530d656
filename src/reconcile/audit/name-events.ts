import { findNamed, type NamedResources } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { isIrrelevant } from './event-actions.ts';
import { type EventNames, listEventNames, listMessageWords } from './event-names.ts';
import { type EventWords, listSubjects, toKnownAction } from './known-action.ts';
import type { NamedEvent } from './match-events.ts';

/** The SCIM ids of people and of groups. */
export interface KnownIds {
  readonly user: ReadonlySet<string>;
  readonly group: ReadonlySet<string>;
}

/** An event with the managed people and groups that it names. */
export interface NamedAuditEvent extends NamedEvent {
  readonly audit: AuditEvent;
  /** The SCIM ids of the managed people and of the groups, deleted ones too. */
  readonly userIds: ReadonlySet<string>;
  readonly groupIds: ReadonlySet<string>;
  /** All that the store knows of whom it names, unmanaged ones too. */
  readonly known: KnownIds;
}

/** What is known of the service and its log. */
export interface NamingOptions {
  /** How far the service's clock is ahead of ours, as far as is known, in milliseconds. */
  readonly skewMs?: number;
  /** Whether somebody else than the account behind our own token is known to have made it. */
  readonly isByOthers?: (event: AuditEvent) => boolean;
}

/** What events are about, oldest first. */
export async function nameEvents(
  db: Db,
  events: readonly AuditEvent[],
  { skewMs = 0, isByOthers = () => false }: NamingOptions = {},
): Promise<NamedAuditEvent[]> {
  const listed = await listKnownOf(db, events);
  const named = listed.map(({ audit, names, known, managed }): NamedAuditEvent => {
    const [userIds, groupIds] = [
      known.user.intersection(managed),
      known.group.intersection(managed),
    ];
    const kinds = { user: known.user.size > 0, group: known.group.size > 0 };
    return {
      audit,
      action: toKnownAction(audit, kinds),
      isByOthers: isByOthers(audit),
      at: audit.createdAt.getTime() - skewMs,
      names: new Set(names.keys()),
      userIds,
      groupIds,
      known,
      resourceIds: new Set([...userIds, ...groupIds]),
    };
  });
  return named.sort((a, b) => a.at - b.at);
}

/** An event with all that it shows, and whom of ours that names. */
interface ListedEvent {
  readonly audit: AuditEvent;
  readonly names: EventNames;
  readonly known: KnownIds;
  readonly managed: ReadonlySet<string>;
}

/** Where nothing that an event shows is anybody's name, the words of its message are tried. */
async function listKnownOf(db: Db, events: readonly AuditEvent[]): Promise<ListedEvent[]> {
  const listed = await find(db, events, listEventNames);
  const isNobody = ({ audit, known }: ListedEvent) =>
    known.user.size + known.group.size === 0 && audit.message !== undefined && !isIrrelevant(audit);
  const nobody = listed.filter(isNobody).map(({ audit }) => audit);
  if (nobody.length === 0) return listed;
  const again = new Map((await find(db, nobody, listMessageWords)).map((one) => [one.audit, one]));
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
  const listed = events.map((audit) => ({ audit, names: list(audit) }));
  const found = await findNamed(db, new Set(listed.flatMap(({ names }) => [...names.keys()])));
  const { managed } = found;
  return listed.map((one) => ({ ...one, managed, known: listKnown(one.audit, one.names, found) }));
}

/** A bare number may be a person's and a group's: the words of the event tell, where nothing beside it does. */
function listKnown(event: AuditEvent, names: EventNames, found: NamedResources): KnownIds {
  const subjects = listSubjects(event);
  const isOf = (type: 'user' | 'group', name: string, types: ReadonlySet<string>) =>
    types.has(type) && (types.size === 1 || !/^\d+$/.test(name) || subjects.includes(type));
  const listIds = (type: 'user' | 'group') =>
    [...names].flatMap(([name, types]) =>
      isOf(type, name, types) ? [...(found[type].get(name) ?? [])] : [],
    );
  return { user: new Set(listIds('user')), group: new Set(listIds('group')) };
}

/** The category of an event, with the known action that it stands for. */
export function toWords({ action, audit }: NamedAuditEvent): EventWords {
  return { category: audit.category, action };
}
