import type { Db } from '../../store/database.ts';
import { findNamed, type NamedResources } from '../../store/find-named.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import { type EventNames, listEventNames } from './event-names.ts';
import { listSubjects, type NamedEvent } from './match-events.ts';

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

/**
 * What events are about, oldest first.
 * @param skewMs how far the service's clock is ahead of ours, as far as is known
 */
export async function nameEvents(
  db: Db,
  events: readonly AuditEvent[],
  skewMs = 0,
): Promise<NamedAuditEvent[]> {
  const listed = events.map((audit) => ({ audit, names: listEventNames(audit) }));
  const found = await findNamed(db, new Set(listed.flatMap(({ names }) => [...names.keys()])));
  const named = listed.map(({ audit, names }): NamedAuditEvent => {
    const known = listKnown(audit.action, names, found);
    const [userIds, groupIds] = [
      known.user.intersection(found.managed),
      known.group.intersection(found.managed),
    ];
    return {
      audit,
      action: audit.action,
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

function listKnown(action: string, names: EventNames, found: NamedResources): KnownIds {
  const subjects = listSubjects(action);
  const listIds = (type: 'user' | 'group') =>
    [...names].flatMap(([name, types]) =>
      types.has(type) && subjects.includes(type) ? [...(found[type].get(name) ?? [])] : [],
    );
  return { user: new Set(listIds('user')), group: new Set(listIds('group')) };
}
