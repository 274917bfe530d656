import type { OwnCallKind } from '../../domain/own-call.ts';
import type { OwnCallRow } from '../../store/own-calls.ts';

/** One event by our own account that changed something we know. */
export interface OwnEvent {
  readonly action: string;
  /** Epoch milliseconds, by the clock of the service. */
  readonly at: number;
  /** Everything that the event shows and that may be an id or a name. */
  readonly names: ReadonlySet<string>;
  /** The people and groups of ours that it names, by their SCIM ids. */
  readonly resourceIds: ReadonlySet<string>;
}

/** How far the moment of an event may lie from that of its call, in milliseconds. */
export interface Tolerance {
  /** The service's clock may be behind ours. */
  readonly beforeMs: number;
  /** The call takes its time, and the service's clock may be ahead. */
  readonly afterMs: number;
}

/**
 * What a call may show as, by the action of the event. A new group makes its creator an admin, and what
 * happens to an account may happen to its memberships. An action that is not here may be anything.
 */
const KINDS: Readonly<Record<string, readonly OwnCallKind[]>> = {
  invite: ['user.create', 'user.activate'],
  activate: ['user.activate', 'user.create'],
  deactivate: ['user.deactivate', 'user.delete'],
  depersonalization: ['user.delete'],
  change_apps_permissions: ['user.access', 'user.create', 'user.activate', 'user.deactivate'],
  create: ['group.create'],
  delete: ['group.delete'],
  add_user: ['member.add', 'group.create'],
  admin_add_user: ['member.add', 'group.create'],
  delete_user: ['member.remove', 'group.delete', 'user.deactivate', 'user.delete'],
  admin_delete_user: ['member.remove', 'group.delete', 'user.deactivate', 'user.delete'],
  add_admin: ['admin.add', 'group.create'],
  delete_admin: ['admin.remove', 'group.delete', 'user.deactivate', 'user.delete'],
};

/**
 * What an event of this action can be about. A number in it may be a person's or a group's; only the action
 * tells, where it does.
 */
export function listSubjects(action: string): ('user' | 'group')[] {
  const kinds = KINDS[action] ?? [];
  for (const type of ['user', 'group'] as const) {
    if (kinds.length > 0 && kinds.every((kind) => kind.startsWith(`${type}.`))) return [type];
  }
  return ['user', 'group'];
}

/**
 * The events that no call of the ledger explains. One call explains one event of each action: the same
 * thing twice needs two calls. Both lists are oldest first.
 */
export function listUnexplained(
  events: readonly OwnEvent[],
  calls: readonly OwnCallRow[],
  tolerance: Tolerance,
): OwnEvent[] {
  const used = new Set<string>();
  return events.filter((event) => {
    const call = calls.find(
      (row) => explains(row, event, tolerance) && !used.has(toUse(row, event)),
    );
    if (call !== undefined) used.add(toUse(call, event));
    return call === undefined;
  });
}

function toUse({ id }: OwnCallRow, { action, resourceIds }: OwnEvent): string {
  return [id, action, ...[...resourceIds].sort()].join('|');
}

function explains(call: OwnCallRow, event: OwnEvent, { beforeMs, afterMs }: Tolerance): boolean {
  if (event.at < call.at - beforeMs || event.at > call.at + afterMs) return false;
  if (call.kind !== 'operator' && KINDS[event.action]?.includes(call.kind) === false) return false;
  const { upstreamId, memberId, resourceId } = call;
  const isResource =
    event.resourceIds.has(resourceId) || (upstreamId !== undefined && event.names.has(upstreamId));
  // Somebody who came or went is named beside the group, where the event names people at all.
  return isResource && (memberId === undefined || event.names.has(memberId) || !hasPerson(event));
}

function hasPerson({ resourceIds }: OwnEvent): boolean {
  return resourceIds.size > 1;
}
