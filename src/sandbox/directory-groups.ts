import { type AuditEntry, groupEntries, linkEntry } from './audit.ts';
import { type Author, commitAs, type Directory, timestamp } from './directory.ts';
import { getUser } from './directory-users.ts';
import type { Change, LinkKind, SandboxGroup } from './model.ts';
import { Refusal } from './refusal.ts';

/** Fields of a new group. */
export interface NewGroup {
  readonly name: string;
  readonly permissions?: number | undefined;
  readonly addToCardsAndSpacesEnabled?: boolean | undefined;
}

/** One requested membership or admin; `present: false` removes it. */
export interface WantedLink {
  readonly link: LinkKind;
  readonly userId: number;
  readonly present: boolean;
}

/** Changed fields of a group, and its changed members and admins, as one step. */
export interface GroupUpdate extends Partial<NewGroup> {
  readonly links?: readonly WantedLink[] | undefined;
}

/**
 * Adds a group without members.
 * @param face the interface of the request: names may have to be unique in one of them only.
 * @throws Refusal 409 when the name is taken.
 */
export function addGroup(
  directory: Directory,
  author: Author,
  { face, ...wanted }: NewGroup & { face: 'scim' | 'rest' },
): SandboxGroup {
  assertNameFree(directory, wanted.name.trim(), face);
  const now = timestamp(directory);
  const group: SandboxGroup = {
    id: directory.state.nextGroupId,
    uid: directory.newUid(),
    scimId: directory.newUid(),
    name: wanted.name.trim(),
    permissions: wanted.permissions ?? 0,
    addToCardsAndSpacesEnabled: wanted.addToCardsAndSpacesEnabled ?? false,
    created: now,
    updated: now,
  };
  const creator = directory.shape().creatorBecomesAdmin ? [author.userId] : [];
  commitAs(directory, author, {
    changes: [
      { kind: 'group', group },
      ...creator.map((userId) => toChange(group.id, { link: 'admin', userId, present: true })),
    ],
    entries: groupEntries(undefined, group),
  });
  return group;
}

/**
 * Changes a group and its links, all or nothing; an equal value is no change.
 * @throws Refusal 404 when the group is gone, 400 when a link names no user or one who may not be in a group, 409
 * when the name is taken.
 */
export function updateGroup(
  directory: Directory,
  author: Author,
  groupId: number,
  { links = [], face, ...update }: GroupUpdate & { face: 'scim' | 'rest' },
): SandboxGroup {
  const before = getGroup(directory, groupId);
  const after: SandboxGroup = {
    ...before,
    name: update.name?.trim() ?? before.name,
    permissions: update.permissions ?? before.permissions,
    addToCardsAndSpacesEnabled:
      update.addToCardsAndSpacesEnabled ?? before.addToCardsAndSpacesEnabled,
    updated: timestamp(directory),
  };
  if (after.name !== before.name) assertNameFree(directory, after.name, face);
  const news = links.filter((wanted) => isNews(directory, groupId, wanted));
  const entries = groupEntries(before, after);
  if (entries.length === 0 && news.length === 0) return before;
  commitAs(directory, author, {
    changes: [{ kind: 'group', group: after }, ...news.map((wanted) => toChange(groupId, wanted))],
    entries: [...entries, ...news.map((wanted) => toEntry(directory, after, wanted))],
  });
  return after;
}

/** Removes a group with all its links. @throws Refusal 404 when it is gone. */
export function removeGroup(directory: Directory, author: Author, groupId: number): SandboxGroup {
  const group = getGroup(directory, groupId);
  commitAs(directory, author, {
    changes: [{ kind: 'group-removed', groupId }],
    entries: groupEntries(group, undefined),
  });
  return group;
}

function getGroup({ state }: Directory, groupId: number): SandboxGroup {
  const group = state.groups.find(groupId);
  if (group === undefined) throw new Refusal('not-found', `no group ${groupId}`);
  return group;
}

function assertNameFree(directory: Directory, name: string, face: 'scim' | 'rest'): void {
  const { uniqueGroupNames } = directory.shape();
  if (uniqueGroupNames === 'nowhere' || (uniqueGroupNames === 'scim' && face === 'rest')) return;
  if (directory.state.findGroupByName(name)) {
    throw new Refusal('conflict', 'Duplication error: a group with this name exists');
  }
}

function isNews(directory: Directory, groupId: number, wanted: WantedLink): boolean {
  const { link, userId, present } = wanted;
  const user = directory.state.users.find(userId);
  if (user === undefined) throw new Refusal('bad-request', `no user ${userId}`);
  const { inactiveMembers } = directory.shape();
  if (present && link === 'member' && !user.active && inactiveMembers !== 'allowed') {
    throw new Refusal('bad-request', `user ${userId} is deactivated`);
  }
  const links = link === 'member' ? directory.state.members : directory.state.admins;
  return links.has(groupId, userId) !== present;
}

function toChange(groupId: number, { link, userId, present }: WantedLink): Change {
  return { kind: 'link', link, groupId, userId, present };
}

function toEntry(directory: Directory, group: SandboxGroup, wanted: WantedLink): AuditEntry {
  const user = getUser(directory, wanted.userId);
  return linkEntry(wanted.link, { group, user, present: wanted.present });
}
