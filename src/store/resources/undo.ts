import type { Cells } from '../../domain/cell.ts';
import type { GroupField } from '../../domain/group.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored } from '../engine/columns.ts';
import type { LinkWrite } from '../links/links.ts';
import type { Origin } from '../schema.ts';

/** Facts that take one write of a user or group back. */
export interface Undo {
  /** The user or group before the write; undefined: there was none. */
  readonly before: Before | undefined;
  /** Attributes as the write left them, as stored: while they are unchanged, no later write changed them. */
  readonly after: string;
  /** The links of a group that the write changed, as they were; null: there was none. */
  readonly members: ReadonlyMap<UserId, LinkWrite | null>;
  readonly admins: ReadonlyMap<UserId, LinkWrite | null>;
  /** True when the write takes access, or removes members or admins, which is never taken back for the rest of it. */
  readonly removes: boolean;
}

/** A user or group as a write found it. */
export interface Before {
  readonly attributes: JsonObject;
  readonly cells: Cells<UserField | GroupField>;
  /** null: only observed, so the write took the account or group over. */
  readonly origin: Origin | null;
  /**
   * The account belonged to a deleted user, and the write gave it to a new one; or the group had been released, and the
   * write took it up again.
   */
  readonly deleted: boolean;
  /** 1: a provider wrote the list of admins of the group; absent: none did. */
  readonly adminsAsked?: number;
  readonly innerGroups?: string;
}

/** The lists of users in an undo of a write that changes none. */
export const NO_LINKS_WRITTEN: Pick<Undo, 'members' | 'admins'> = {
  members: new Map(),
  admins: new Map(),
};

/** An undo as JSON has it: links are a list of pairs there. */
interface StoredUndo extends Omit<Undo, 'members' | 'admins'> {
  readonly members: readonly Pair[];
  readonly admins: readonly Pair[];
}
type Pair = readonly [string, LinkWrite | null];

/** Text of an undo, as `parseUndo` reads it. */
export function toUndoText(undo: Undo): string {
  return JSON.stringify({ ...undo, members: [...undo.members], admins: [...undo.admins] });
}

/** The undo of a request that waits in another process. */
export function parseUndo(text: string): Undo {
  const undo = parseStored<StoredUndo>(text);
  return { ...undo, members: toLinks(undo.members), admins: toLinks(undo.admins) };
}

function toLinks(pairs: readonly Pair[]): Undo['members'] {
  return new Map(pairs.map(([id, link]) => [userId(id), link]));
}
