import type { Cells } from '../../domain/cell.ts';
import type { Field } from '../../domain/kinds.ts';
import type { Link, LinkList } from '../../domain/link.ts';
import type { Staged } from '../../domain/provider.ts';
import type { JsonObject, ResourceKey, UserId } from '../../domain/values.ts';
import { BridgeError, toResourceKey } from '../../domain/values.ts';
import type { GroupRow, NewRow, ResourceRow, RowOf } from '../../store/resources/rows.ts';
import type { Before, Undo, WrittenLink } from '../../store/resources/state.ts';
import { isRoleUnknown } from '../../store/resources/state.ts';
import type { Origin } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import { ScimError } from '../errors.ts';
import type { Preconditions } from '../http/etag.ts';
import type { Repairs } from '../repairs.ts';

/** One change of a list of users. `replace` names all users of the new list; among members an id may be a group's. */
export interface ListEdit {
  readonly list: LinkList;
  readonly op: 'add' | 'remove' | 'replace';
  readonly ids: readonly UserId[];
}

/** Whether each user whom the edits name is in the list after them; a replacement takes out all that were there. */
export function foldEdits(
  edits: readonly ListEdit[],
  known: readonly { readonly userId: UserId }[] = [],
): Map<UserId, boolean> {
  const isIn = new Map<UserId, boolean>();
  const last = edits.findLastIndex(({ op }) => op === 'replace');
  if (last >= 0) for (const { userId } of known) isIn.set(userId, false);
  for (const { op, ids } of edits.slice(Math.max(last, 0))) {
    for (const id of ids) isIn.set(id, op !== 'remove');
  }
  return isIn;
}

/** Resource of a write, and the versions that the provider means. */
export interface WriteTarget {
  readonly id: string;
  readonly preconditions: Preconditions;
}

/** What a request asks of one user or group. */
export interface Asked {
  /** Attributes after it, without the lists of users. */
  readonly attributes: JsonObject;
  /** Attributes that the request names (`toWrittenName`). */
  readonly names: ReadonlySet<string>;
  readonly edits: readonly ListEdit[];
  /** True for a PATCH: what it names is meant, also where that is wanted already. */
  readonly isPart?: boolean;
  /** True where nobody is to be added, as when the rest of the request is refused. */
  readonly onlyRemoves?: boolean;
  /** Why the service is to get nothing of it; null or absent: it is. */
  readonly staged?: Staged | null;
  /** Place of an id that the request puts into a list, for the words of an error. */
  placeOf(list: LinkList, id: string): string;
}

/** Stored write of a user or group, with the facts that the wait for it needs. */
export interface Accepted {
  readonly row: ResourceRow;
  /** Undefined: the service already holds the written values, so there is nothing to wait for. */
  readonly undo: Undo | undefined;
  /** True when it takes access, a licence, a permission, or a user out of a list. */
  readonly takesAccess: boolean;
  /** True when other resources are due now that no request waits for. */
  readonly notifies: boolean;
  /** True when it is known by the ids of a deleted one from now on. */
  readonly hasFormerIds?: boolean;
  /** Names the wait that was stored with the write, where another process brings it to the service. */
  readonly waitId?: string;
}

/** A POST of what only an operator can identify: it is recorded, and refused in the same words. */
export class Dispute extends ScimError {
  readonly about: { readonly type: ResourceKey['type']; readonly name: string };
  constructor(detail: string, about: Dispute['about']) {
    super(409, detail, { scimType: 'uniqueness' });
    this.about = about;
  }
}

/** A name that another user or group has; `account`: only its account in the service still has it. */
export interface TakenName {
  readonly attribute: 'userName' | 'displayName' | 'emails' | 'externalId';
  readonly holder?: 'resource' | 'account';
}

/**
 * What a new user or group already has. `new`: nothing, or a deleted one (`row`). `returning`: an inactive user of this
 * provider. `refused`: another one has the name or account, or the names point at several, and nothing is guessed.
 */
export type Match<Type extends ResourceKey['type']> =
  | {
      readonly kind: 'new';
      readonly row: RowOf<Type> | undefined;
      readonly origin: Origin;
      /** State of what the service holds before, for a refusal. */
      readonly before?: Before;
      /** True when the provider knows it by the ids of the deleted one too. */
      readonly hasFormerIds?: boolean;
      readonly asked?: Asked;
    }
  | { readonly kind: 'unmanaged' | 'returning'; readonly row: RowOf<Type> }
  | { readonly kind: 'refused'; readonly row?: undefined; readonly refusal: ScimError };

/** Link that a request changes, as it was and as it is to be. */
export interface EditedLink extends WrittenLink {
  readonly after: Link;
}

/** What a request makes of the members and admins of a group. */
export interface ListPlan {
  readonly links: readonly EditedLink[];
  readonly columns: Partial<Pick<GroupRow, 'admins_asked' | 'inner_groups'>>;
  readonly isSame: boolean;
  readonly waits: boolean;
  readonly removes: boolean;
  readonly demotes: boolean;
  /** True when the provider has emptied the list of admins, which returns it to the rules. */
  readonly releasesAdmins: boolean;
}

/** Change of a user or group in the transaction that read or inserted its row. */
export interface Change<Type extends ResourceKey['type']> {
  /** Managed by now. */
  readonly row: RowOf<Type>;
  /** Origin before the request; null: unmanaged. */
  readonly origin: Origin | null;
  readonly asked: Asked;
  readonly repairs: Repairs;
  /** The row was inserted in this transaction; what the service holds was that of `from` before. */
  readonly created?: { readonly from: Before | undefined };
}

/** A change that was stored. */
export interface StoredChange<Type extends ResourceKey['type']> extends Change<Type> {
  readonly changed: RowOf<Type>;
  readonly lists: ListPlan;
  readonly now: number;
}

interface Followed<Type extends ResourceKey['type']> {
  readonly row: RowOf<Type>;
  readonly notifies: boolean;
  /** True when a user left a group because of it. */
  readonly removes: boolean;
}

interface Deletion<Type extends ResourceKey['type']> {
  /** Columns of what the service still has to do. */
  readonly columns: Partial<RowOf<Type>>;
  readonly isDue: boolean;
  /** Members of a group before it. */
  readonly users: readonly UserId[];
}

/** A write of a resource that may be privileged, for all that is known. The service has to be asked first. */
export class PrivilegeUnknown extends BridgeError {
  readonly resource: ResourceKey;
  constructor(resource: ResourceKey) {
    super('could-not-look', `it is not known whether the ${resource.type} is privileged`);
    this.resource = resource;
  }
}

/** Stops a write of an account if its role was never seen. @throws PrivilegeUnknown */
export function assertRoleKnown(row: ResourceRow): void {
  if (row.type === 'user' && isRoleUnknown(row)) throw new PrivilegeUnknown(toResourceKey(row));
}

/** One type of resource: what users and groups differ in where they are written. */
export interface WriteKind<Type extends ResourceKey['type']> {
  readonly type: Type;
  /** Takes the locks that come before that of the row. */
  begin(tx: Db, deps: ProviderDeps, of: 'change' | 'adopt' | 'end', id: string): Promise<void>;
  /** Attributes after a PUT. @see RFC 7644 §3.5.1 */
  toReplacement(before: JsonObject, input: ResourceInput): JsonObject;
  /** The change as it may be stored. @throws ScimError 400, 403, 409 */
  toAllowed(
    tx: Db,
    deps: ProviderDeps,
    change: Pick<Change<Type>, 'row' | 'asked'>,
  ): Promise<Asked>;
  /** The change with what follows from it for other attributes. */
  complete(change: Change<Type>): Asked;
  toNewRow(columns: Omit<NewRow<'user'>, 'type' | 'id'>): NewRow<Type>;
  follow(tx: Db, deps: ProviderDeps, change: StoredChange<Type>): Promise<Followed<Type>>;
  /** Cells of an unmanaged resource that is taken over, with its shown attributes as the baseline. */
  toAdoptedCells(tx: Db, row: RowOf<Type>): Promise<Cells<Field>>;
  /** Reason why it is never taken over by itself. @throws PrivilegeUnknown */
  findPrivilege(tx: Db, deps: ProviderDeps, row: RowOf<Type>): Promise<string | undefined>;
  /** Folded names that nobody else may have. */
  listNames(row: RowOf<Type>): string[];
  listHolders(tx: Db, row: RowOf<Type>): Promise<readonly Pick<ResourceRow, 'origin'>[]>;
  /** Plans the deletion, of members and admins too. @throws ScimError 403, PrivilegeUnknown */
  delete(tx: Db, deps: ProviderDeps, row: RowOf<Type>): Promise<Deletion<Type>>;
  /** Updates what is derived from a resource that is deleted now. Returns true when others are due. */
  forget(tx: Db, deps: ProviderDeps, row: RowOf<Type>, deletion: Deletion<Type>): Promise<boolean>;
  /** What the body of a POST asks. @throws ScimError 400, 403 */
  toNew(deps: ProviderDeps, input: ResourceInput, repairs: Repairs): Asked;
  /** Finds, and locks, what a new one already has. */
  match(tx: Db, deps: ProviderDeps, asked: Asked, repairs: Repairs): Promise<Match<Type>>;
  /** Attributes of an unmanaged one that a POST takes over. */
  toAdopted(before: JsonObject, asked: Asked, input: ResourceInput): JsonObject;
}
