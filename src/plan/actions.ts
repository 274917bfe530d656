import type { EntityField } from '../domain/entity.ts';
import type { LinkChange } from '../domain/group.ts';
import type { PersonName } from '../domain/name.ts';
import type { UserField } from '../domain/user.ts';

/** Every action carries a sentence that an operator reads before the plan runs. */
interface Explained {
  readonly reason: string;
}

/** Sees what the service holds of the user, by id or, without one, by userName and address. */
export interface LookAtUser extends Explained {
  readonly kind: 'look-at-user';
  readonly upstreamId: number | undefined;
}

/** Creates the account: one call, or two when the service does not take the name at creation. */
export interface CreateUser extends Explained {
  readonly kind: 'create-user';
  readonly userName: string;
  readonly address: string;
  readonly name: PersonName | undefined;
}

/** One SCIM call for all attribute changes of one user. */
export interface UpdateUser extends Explained {
  readonly kind: 'update-user';
  readonly upstreamId: number;
  readonly active?: boolean;
  readonly name?: PersonName;
}

/** One REST call for what SCIM does not carry. */
export interface UpdateCompanyUser extends Explained {
  readonly kind: 'update-company-user';
  readonly upstreamId: number;
  readonly appsPermissions?: number;
  readonly temporarilyInactive?: boolean;
  /** The fields that are done with this call. */
  readonly fields: readonly UserField[];
}

/** Tries once whether the service takes a new userName or address; a refusal is not reported to the provider. */
export interface TryAddress extends Explained {
  readonly kind: 'try-address';
  readonly upstreamId: number;
  readonly userName: string;
  readonly address: string | undefined;
}

/** Deletes a virtual user, the only kind that the service can delete. */
export interface RemoveVirtualUser extends Explained {
  readonly kind: 'remove-virtual-user';
  readonly upstreamId: number;
}

/** One upstream step for a user. */
export type UserAction =
  | LookAtUser
  | CreateUser
  | UpdateUser
  | UpdateCompanyUser
  | TryAddress
  | RemoveVirtualUser;

/** Sees what the service holds of the group, by id or, without one, by name. */
export interface LookAtGroup extends Explained {
  readonly kind: 'look-at-group';
}

/** Creates the group with what is known of it. */
export interface CreateGroup extends Explained {
  readonly kind: 'create-group';
  readonly displayName: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
}

/** One call for all attribute changes of one group. */
export interface UpdateGroup extends Explained {
  readonly kind: 'update-group';
  readonly displayName?: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
}

/** Removes a group that the bridge created. */
export interface DeleteGroup extends Explained {
  readonly kind: 'delete-group';
}

/** Changes several members in one call. */
export interface ChangeMembers extends Explained {
  readonly kind: 'change-members';
  readonly changes: readonly LinkChange[];
}

/** Changes one member by the interface that takes one. */
export interface ChangeMember extends Explained {
  readonly kind: 'change-member';
  readonly change: LinkChange;
}

/** Changes one entry of the admin list. */
export interface ChangeAdmin extends Explained {
  readonly kind: 'change-admin';
  readonly change: LinkChange;
}

/** Lists the entities of the group, before its roles in these are changed. */
export interface LookAtEntities extends Explained {
  readonly kind: 'look-at-entities';
  readonly fields: readonly EntityField[];
}

/** Changes the roles of the group in one entity. */
export interface ChangeEntity extends Explained {
  readonly kind: 'change-entity';
  readonly field: EntityField;
  /** The ids of the roles; empty: the entity is taken from the group. */
  readonly roles: readonly string[];
  /** True when the service shows the entity among those of the group. */
  readonly isListed: boolean;
}

/** One upstream step for a group. */
export type GroupAction =
  | LookAtGroup
  | CreateGroup
  | UpdateGroup
  | DeleteGroup
  | ChangeMembers
  | ChangeMember
  | ChangeAdmin
  | LookAtEntities
  | ChangeEntity;
