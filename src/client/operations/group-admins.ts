// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `groupAdmins.addAdminToGroup`. */
export interface GroupAdminsAddAdminToGroupArguments {
  readonly path: {
    readonly group_uid: string;
  };
  readonly body: {
    readonly user_id: number;
  };
}

/** Answer of `groupAdmins.addAdminToGroup`. */
export interface GroupAdminsAddAdminToGroupAnswer {
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

/** Arguments of `groupAdmins.getListOfGroupAdmins`. */
export interface GroupAdminsGetListOfGroupAdminsArguments {
  readonly path: {
    readonly group_uid: string;
  };
}

/** Entry of the answer of `groupAdmins.getListOfGroupAdmins`. */
export interface GroupAdminsGetListOfGroupAdminsEntry {
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

/** Answer of `groupAdmins.getListOfGroupAdmins`. */
export type GroupAdminsGetListOfGroupAdminsAnswer = GroupAdminsGetListOfGroupAdminsEntry[];

/** Arguments of `groupAdmins.removeAdminFromGroup`. */
export interface GroupAdminsRemoveAdminFromGroupArguments {
  readonly path: {
    readonly group_uid: string;
    readonly user_id: number;
  };
}

/** Answer of `groupAdmins.removeAdminFromGroup`. */
export interface GroupAdminsRemoveAdminFromGroupAnswer {
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

/** Operations of `client.groupAdmins`. */
export interface GroupAdminsOperations {
  /**
   * Makes a user an administrator; 409 means that it is so already.
   *
   * `POST /groups/{group_uid}/admins`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`; `body`: `user_id` (required)
   */
  readonly addAdminToGroup: Call<GroupAdminsAddAdminToGroupArguments, GroupAdminsAddAdminToGroupAnswer>;

  /**
   * The administrators of a group, in one answer.
   *
   * `GET /groups/{group_uid}/admins`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`
   */
  readonly getListOfGroupAdmins: Call<GroupAdminsGetListOfGroupAdminsArguments, GroupAdminsGetListOfGroupAdminsAnswer>;

  /**
   * Removes an administrator; 404 means that it is so already.
   *
   * `DELETE /groups/{group_uid}/admins/{user_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`, `user_id`
   */
  readonly removeAdminFromGroup: Call<GroupAdminsRemoveAdminFromGroupArguments, GroupAdminsRemoveAdminFromGroupAnswer | undefined>;
}
