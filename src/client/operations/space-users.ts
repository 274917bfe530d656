// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `spaceUsers.changeUserRoleAndNotificationSettings`. */
export interface SpaceUsersChangeUserRoleAndNotificationSettingsArguments {
  readonly path: {
    readonly space_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly role_id?: string | undefined;
    readonly notifications_enabled?: boolean | undefined;
    readonly space_group_id?: number | null | undefined;
    readonly settings?: object | undefined;
  } | undefined;
}

/** Answer of `spaceUsers.changeUserRoleAndNotificationSettings`. */
export interface SpaceUsersChangeUserRoleAndNotificationSettingsAnswer {
  /** Inferred from its name. */
  entity_uid: string | null;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  own_role: unknown;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `spaceUsers.getListOfUsers`. */
export interface SpaceUsersGetListOfUsersArguments {
  readonly path: {
    readonly space_id: number;
  };
  readonly query?: {
    readonly include_inherited_access?: boolean | undefined;
    readonly inactive?: boolean | undefined;
    readonly limit?: number | undefined;
    readonly last_user_id?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `spaceUsers.getListOfUsers`. */
export interface SpaceUsersGetListOfUsersEntry {
  /** Inferred from `path.id`. */
  id: number;
  full_name: unknown;
  /** Inferred from `body.email`. */
  email: string | null;
  username: unknown;
  avatar_initials_url: unknown;
  avatar_uploaded_url: unknown;
  initials: unknown;
  avatar_type: unknown;
  lng: unknown;
  timezone: unknown;
  theme: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  activated: unknown;
  ui_version: unknown;
  virtual: unknown;
  apps_permissions: unknown;
  temporarily_inactive: unknown;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  own_role: unknown;
  current: unknown;
}

/** Answer of `spaceUsers.getListOfUsers`. */
export type SpaceUsersGetListOfUsersAnswer = SpaceUsersGetListOfUsersEntry[];

/** Arguments of `spaceUsers.getUser`. */
export interface SpaceUsersGetUserArguments {
  readonly path: {
    readonly space_id: number;
    readonly id: number;
  };
}

/** Answer of `spaceUsers.getUser`. */
export interface SpaceUsersGetUserAnswer {
  /** Inferred from `path.id`. */
  id: number;
  full_name: unknown;
  /** Inferred from `body.email`. */
  email: string | null;
  username: unknown;
  avatar_initials_url: unknown;
  avatar_uploaded_url: unknown;
  initials: unknown;
  avatar_type: unknown;
  lng: unknown;
  timezone: unknown;
  theme: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  activated: unknown;
  ui_version: unknown;
  virtual: unknown;
  /** Inferred from its name. */
  entity_uid: string | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  access_mod: unknown;
}

/** Arguments of `spaceUsers.inviteUserToSpace`. */
export interface SpaceUsersInviteUserToSpaceArguments {
  readonly path: {
    readonly space_id: number;
  };
  readonly body: {
    readonly email: string;
    readonly role_id?: string | undefined;
    readonly guest?: boolean | undefined;
    readonly operator_comment?: string | undefined;
    readonly send_email?: boolean | undefined;
  };
}

/** Answer of `spaceUsers.inviteUserToSpace`. */
export interface SpaceUsersInviteUserToSpaceAnswer {
  user: unknown;
  access_record: unknown;
  message: unknown;
}

/** Arguments of `spaceUsers.removeUserFromSpace`. */
export interface SpaceUsersRemoveUserFromSpaceArguments {
  readonly path: {
    readonly space_id: number;
    readonly id: number;
  };
}

/** Answer of `spaceUsers.removeUserFromSpace`. */
export interface SpaceUsersRemoveUserFromSpaceAnswer {
  /** Inferred from its name. */
  entity_uid: string | null;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  own_role: unknown;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
}

/** Operations of `client.spaceUsers`. */
export interface SpaceUsersOperations {
  /**
   * Sets the role of a person in a space, and what the person hears of it.
   *
   * `PATCH /spaces/{space_id}/users/{id}`
   *
   * @param args `path`: `space_id`, `id`; `body`: `role_id`, `notifications_enabled`,
   * `space_group_id`, `settings`
   */
  readonly changeUserRoleAndNotificationSettings: Call<SpaceUsersChangeUserRoleAndNotificationSettingsArguments, SpaceUsersChangeUserRoleAndNotificationSettingsAnswer>;

  /**
   * The users of a space. A page begins behind `last_user_id`.
   *
   * `GET /spaces/{space_id}/users`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `space_id`; `query`: `include_inherited_access`, `inactive`, `limit`,
   * `last_user_id`
   */
  readonly getListOfUsers: ListCall<SpaceUsersGetListOfUsersArguments, SpaceUsersGetListOfUsersAnswer>;

  /**
   * One person of a space.
   *
   * `GET /spaces/{space_id}/users/{id}`
   *
   * @param args `path`: `space_id`, `id`
   */
  readonly getUser: Call<SpaceUsersGetUserArguments, SpaceUsersGetUserAnswer>;

  /**
   * Invites a person to a space by e-mail address.
   *
   * `POST /spaces/{space_id}/users`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_id`; `body`: `email` (required), `role_id`, `guest`,
   * `operator_comment`, `send_email`
   */
  readonly inviteUserToSpace: Call<SpaceUsersInviteUserToSpaceArguments, SpaceUsersInviteUserToSpaceAnswer>;

  /**
   * Takes a person out of a space.
   *
   * `DELETE /spaces/{space_id}/users/{id}`
   *
   * @param args `path`: `space_id`, `id`
   */
  readonly removeUserFromSpace: Call<SpaceUsersRemoveUserFromSpaceArguments, SpaceUsersRemoveUserFromSpaceAnswer | undefined>;
}
