import { type AuditEntry, rolesEntry } from './audit.ts';
import { type Author, commitAs, type Directory } from './directory.ts';
import type { SandboxGroup, SandboxSpace } from './model.ts';
import { Refusal } from './refusal.ts';

/** The space with this uid. @throws Refusal 404 when there is none */
export function getSpace({ state }: Directory, uid: string): SandboxSpace {
  const space = state.spaces.all().find((one) => one.uid === uid);
  if (space === undefined) throw new Refusal('not-found', `no entity ${uid}`);
  return space;
}

/** The roles of a group in a space; undefined: it has none. */
export function findRoles(
  { groups }: SandboxSpace,
  { id }: SandboxGroup,
): readonly string[] | undefined {
  return groups.find(({ groupId }) => groupId === id)?.roleIds;
}

/** Sets the roles of a group in a space; none: the space is taken from it. Equal roles are no change. */
export function setRoles(
  directory: Directory,
  author: Author,
  {
    space,
    group,
    roleIds,
  }: { space: SandboxSpace; group: SandboxGroup; roleIds: readonly string[] },
): void {
  const before = findRoles(space, group);
  if (JSON.stringify(before ?? []) === JSON.stringify(roleIds)) return;
  const others = space.groups.filter(({ groupId }) => groupId !== group.id);
  const own = roleIds.length === 0 ? [] : [{ groupId: group.id, roleIds }];
  const entries: AuditEntry[] = [rolesEntry({ group, space, isGiven: roleIds.length > 0 })];
  commitAs(directory, author, {
    changes: [{ kind: 'space', space: { ...space, groups: [...others, ...own] } }],
    entries,
  });
}
