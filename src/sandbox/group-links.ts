const none: ReadonlySet<number> = new Set();

/** Members and admins of groups, readable from both ends; adding and removing one link costs the same at any size. */
export class GroupLinks {
  readonly #userIds = new Map<number, Set<number>>();
  readonly #groupIds = new Map<number, Set<number>>();

  has(groupId: number, userId: number): boolean {
    return this.#userIds.get(groupId)?.has(userId) ?? false;
  }

  usersOf(groupId: number): ReadonlySet<number> {
    return this.#userIds.get(groupId) ?? none;
  }

  groupsOf(userId: number): ReadonlySet<number> {
    return this.#groupIds.get(userId) ?? none;
  }

  add(groupId: number, userId: number): void {
    entry(this.#userIds, groupId).add(userId);
    entry(this.#groupIds, userId).add(groupId);
  }

  remove(groupId: number, userId: number): void {
    this.#userIds.get(groupId)?.delete(userId);
    this.#groupIds.get(userId)?.delete(groupId);
  }

  removeGroup(groupId: number): void {
    for (const userId of this.usersOf(groupId)) this.#groupIds.get(userId)?.delete(groupId);
    this.#userIds.delete(groupId);
  }

  removeUser(userId: number): void {
    for (const groupId of this.groupsOf(userId)) this.#userIds.get(groupId)?.delete(userId);
    this.#groupIds.delete(userId);
  }
}

function entry(sets: Map<number, Set<number>>, key: number): Set<number> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const made = new Set<number>();
  sets.set(key, made);
  return made;
}
