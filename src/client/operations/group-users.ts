// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `groupUsers.addUserToGroup`. */
export interface GroupUsersAddUserToGroupArguments {
  readonly path: {
    readonly group_uid: string;
  };
  readonly body: {
    readonly user_id: number;
    readonly request_id?: string | undefined;
    readonly operator_comment?: string | null | undefined;
  };
}

/** Answer of `groupUsers.addUserToGroup`. */
export interface GroupUsersAddUserToGroupAnswer {
  /** Inferred from `path.user_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  full_name: unknown;
  email: unknown;
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
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
}

/** Arguments of `groupUsers.getListOfGroupUsers`. */
export interface GroupUsersGetListOfGroupUsersArguments {
  readonly path: {
    readonly group_uid: string;
  };
}

/** Entry of the answer of `groupUsers.getListOfGroupUsers`. */
export interface GroupUsersGetListOfGroupUsersEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.user_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  full_name: unknown;
  username: unknown;
  email: unknown;
  activated: unknown;
  avatar_initials_url: unknown;
  avatar_uploaded_url: unknown;
  initials: unknown;
  avatar_type: unknown;
  lng: unknown;
  /** Inferred from its name. */
  sd_telegram_id: number | string | null;
  timezone: unknown;
  news_subscription: unknown;
  theme: unknown;
  ui_version: unknown;
  virtual: unknown;
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
  /** Inferred from its name: a time. */
  delete_confirmation_sent_at: string | null;
}

/** Answer of `groupUsers.getListOfGroupUsers`. */
export type GroupUsersGetListOfGroupUsersAnswer = GroupUsersGetListOfGroupUsersEntry[];

/** Arguments of `groupUsers.removeUserFromGroup`. */
export interface GroupUsersRemoveUserFromGroupArguments {
  readonly path: {
    readonly group_uid: string;
    readonly user_id: number;
  };
}

/** Answer of `groupUsers.removeUserFromGroup`. */
export interface GroupUsersRemoveUserFromGroupAnswer {
  /** Inferred from `path.user_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  full_name: unknown;
  email: unknown;
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
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
}

/** Operations of `client.groupUsers`. */
export interface GroupUsersOperations {
  /**
   * Adds a member; 409 means that the member is there already.
   *
   * `POST /groups/{group_uid}/users`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`; `body`: `user_id` (required), `request_id`,
   * `operator_comment`
   */
  readonly addUserToGroup: Call<GroupUsersAddUserToGroupArguments, GroupUsersAddUserToGroupAnswer>;

  /**
   * The members of a group, in one answer.
   *
   * `GET /groups/{group_uid}/users`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`
   */
  readonly getListOfGroupUsers: Call<GroupUsersGetListOfGroupUsersArguments, GroupUsersGetListOfGroupUsersAnswer>;

  /**
   * Removes a member; 404 means that the member is gone already.
   *
   * `DELETE /groups/{group_uid}/users/{user_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`, `user_id`
   */
  readonly removeUserFromGroup: Call<GroupUsersRemoveUserFromGroupArguments, GroupUsersRemoveUserFromGroupAnswer | undefined>;
}
