// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `users.retrieveCurrentUser`. */
export type UsersRetrieveCurrentUserArguments = Record<never, never>;

/** Answer of `users.retrieveCurrentUser`. */
export interface UsersRetrieveCurrentUserAnswer {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.full_name`. */
  full_name: string | null;
  email: unknown;
  /** Inferred from `body.username`. */
  username: string | null;
  avatar_initials_url: unknown;
  avatar_uploaded_url: unknown;
  /** Inferred from `body.initials`. */
  initials: string | null;
  /** Inferred from `body.avatar_type`. */
  avatar_type: number | null;
  /** Inferred from `body.lng`. */
  lng: string | null;
  /** Inferred from `body.timezone`. */
  timezone: string | null;
  /** Inferred from `body.theme`. */
  theme: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  activated: unknown;
  /** Inferred from `body.ui_version`. */
  ui_version: number | null;
  virtual: unknown;
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  permissions: unknown;
  role: unknown;
  apps_permissions: unknown;
  has_password: unknown;
}

/** Arguments of `users.retrieveListOfUsers`. */
export interface UsersRetrieveListOfUsersArguments {
  readonly query?: {
    readonly type?: string | undefined;
    readonly query?: string | undefined;
    readonly access_type_permissions?: string | undefined;
    readonly ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly include_inactive?: boolean | undefined;
    readonly exclude_directly_added_members_by_entity_uid?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `users.retrieveListOfUsers`. */
export type UsersRetrieveListOfUsersEntry = Record<string, unknown>;

/** Answer of `users.retrieveListOfUsers`. */
export type UsersRetrieveListOfUsersAnswer = UsersRetrieveListOfUsersEntry[];

/** Arguments of `users.updateUser`. */
export interface UsersUpdateUserArguments {
  readonly path: {
    readonly id: number;
  };
  readonly body?: {
    readonly username?: string | undefined;
    readonly full_name?: string | undefined;
    readonly initials?: string | undefined;
    readonly avatar_type?: number | undefined;
    readonly password?: string | undefined;
    readonly old_password?: string | undefined;
    readonly lng?: string | undefined;
    readonly default_space_id?: number | null | undefined;
    readonly theme?: string | undefined;
    readonly email_frequency?: number | undefined;
    readonly timezone?: string | undefined;
    readonly subject_by?: number | undefined;
    readonly email_settings?: object | undefined;
    readonly telegram_settings?: object | undefined;
    readonly slack_settings?: object | undefined;
    readonly notification_enabled_channels?: readonly string[] | undefined;
    readonly notification_settings?: object | undefined;
    readonly ui_version?: number | undefined;
  } | undefined;
}

/** Answer of `users.updateUser`. */
export interface UsersUpdateUserAnswer {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.full_name`. */
  full_name: string | null;
  email: unknown;
  /** Inferred from `body.username`. */
  username: string | null;
  avatar_initials_url: unknown;
  avatar_uploaded_url: unknown;
  /** Inferred from `body.initials`. */
  initials: string | null;
  /** Inferred from `body.avatar_type`. */
  avatar_type: number | null;
  /** Inferred from `body.lng`. */
  lng: string | null;
  /** Inferred from `body.timezone`. */
  timezone: string | null;
  /** Inferred from `body.theme`. */
  theme: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  activated: unknown;
  /** Inferred from `body.ui_version`. */
  ui_version: number | null;
  virtual: unknown;
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
  show_tour: unknown;
  news_subscription: unknown;
  work_time_settings: unknown;
  /** Inferred from its name. */
  telegram_id: number | string | null;
  has_password: unknown;
}

/** Operations of `client.users`. */
export interface UsersOperations {
  /**
   * The account of the token, which must never lock itself out.
   *
   * `GET /users/current`
   *
   * Known from the running service only, not from its documents.
   */
  readonly retrieveCurrentUser: Call<UsersRetrieveCurrentUserArguments, UsersRetrieveCurrentUserAnswer>;

  /**
   * The users of the company, or, without the right to manage them, those of shared spaces. The
   * fields of the answer are not known for sure.
   *
   * `GET /users`
   *
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `type`, `query`, `access_type_permissions`, `ids`, `limit`, `offset`,
   * `include_inactive`, `exclude_directly_added_members_by_entity_uid`
   */
  readonly retrieveListOfUsers: ListCall<UsersRetrieveListOfUsersArguments, UsersRetrieveListOfUsersAnswer>;

  /**
   * Changes the profile of an account. The service refuses a body that holds nothing.
   *
   * `PATCH /users/{id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `id`; `body`: `username`, `full_name`, `initials`, `avatar_type`,
   * `password`, `old_password`, `lng`, `default_space_id`, `theme`, `email_frequency`,
   * `timezone`, `subject_by`, `email_settings`, `telegram_settings`, `slack_settings`,
   * `notification_enabled_channels`, `notification_settings`, `ui_version`
   */
  readonly updateUser: Call<UsersUpdateUserArguments, UsersUpdateUserAnswer>;
}
