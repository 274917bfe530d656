import type { EntityField } from '../domain/entity.ts';
import type { LinkChange } from '../domain/group.ts';
import type { PersonName } from '../domain/name.ts';
import type { UserField } from '../domain/user.ts';

/**
 * One upstream step for a user.
 * - `look-at-user`: sees what the service holds, by id or, without one, by userName and address
 * - `create-user`: one call, or two when the service does not take the name at creation
 * - `update-user`: one SCIM call for all attribute changes
 * - `update-company-user`: one REST call for what SCIM does not carry; `fields` are done with it
 * - `try-address`: tries once whether the service takes a new userName or address; a refusal is not reported
 * - `remove-virtual-user`: deletes a virtual user, the only kind that the service can delete
 */
export type UserAction =
  | { readonly kind: 'look-at-user'; readonly upstreamId: number | undefined }
  | {
      readonly kind: 'create-user';
      readonly userName: string;
      readonly address: string;
      readonly name: PersonName | undefined;
    }
  | {
      readonly kind: 'update-user';
      readonly upstreamId: number;
      readonly active?: boolean;
      readonly name?: PersonName;
    }
  | {
      readonly kind: 'update-company-user';
      readonly upstreamId: number;
      readonly appsPermissions?: number;
      readonly temporarilyInactive?: boolean;
      readonly fields: readonly UserField[];
    }
  | {
      readonly kind: 'try-address';
      readonly upstreamId: number;
      readonly userName: string;
      readonly address: string | undefined;
    }
  | { readonly kind: 'remove-virtual-user'; readonly upstreamId: number };

/** One of these steps. */
export type UserActionOf<Kind extends UserAction['kind']> = Extract<
  UserAction,
  { readonly kind: Kind }
>;

/** What a call sets of a group itself. */
interface GroupFlags {
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
}

/**
 * One upstream step for a group.
 * - `look-at-group`: sees what the service holds, by id or, without one, by name
 * - `create-group`: creates it with what is known of it
 * - `update-group`: one call for all attribute changes
 * - `delete-group`: removes a group that the bridge created
 * - `change-members`: several members in one call; `change-link`: one member or admin by the interface that takes one
 * - `look-at-entities`: lists the entities, before roles in these `fields` are changed
 * - `change-entity`: sets the ids of the roles in one entity, which the service shows or not (`isListed`); no roles: the
 *   entity is taken from the group
 */
export type GroupAction =
  | { readonly kind: 'look-at-group' }
  | ({ readonly kind: 'create-group'; readonly displayName: string } & GroupFlags)
  | ({ readonly kind: 'update-group'; readonly displayName?: string } & GroupFlags)
  | { readonly kind: 'delete-group' }
  | { readonly kind: 'change-members'; readonly changes: readonly LinkChange[] }
  | { readonly kind: 'change-link'; readonly change: LinkChange }
  | { readonly kind: 'look-at-entities'; readonly fields: readonly EntityField[] }
  | {
      readonly kind: 'change-entity';
      readonly field: EntityField;
      readonly roles: readonly string[];
      readonly isListed: boolean;
    };

/** One of these steps. */
export type GroupActionOf<Kind extends GroupAction['kind']> = Extract<
  GroupAction,
  { readonly kind: Kind }
>;
