// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `companyUsers.getListOfUsers`. */
export interface CompanyUsersGetListOfUsersArguments {
  readonly query?: {
    readonly invitesOnly?: boolean | undefined;
    readonly withTransferAccessStatus?: boolean | undefined;
    readonly for_members_section?: boolean | undefined;
    readonly owner_only?: boolean | undefined;
    readonly only_paid?: boolean | undefined;
    readonly only_records_count?: boolean | undefined;
    readonly only_virtual?: boolean | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
    readonly query?: string | undefined;
    readonly access_type_permissions?: string | undefined;
    readonly sd_access_type?: string | undefined;
    readonly take_licence?: string | undefined;
    readonly temporarily_inactive_status?: string | undefined;
    readonly group_ids?: readonly (string | number)[] | undefined;
    readonly permissions?: readonly (string | number)[] | undefined;
  } | undefined;
}

/** Entry of the answer of `companyUsers.getListOfUsers`. */
export interface CompanyUsersGetListOfUsersEntry {
  /** Inferred from `path.id`. */
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
  permissions: number;
  own_permissions: number;
  spaces: unknown;
  groups: Record<string, unknown>[];
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from the parameters called `default_space_id`. */
  default_space_id: number | null;
  role: number;
  email_frequency: unknown;
  email_settings: unknown;
  /** Inferred from its name. */
  slack_id: number | string | null;
  slack_settings: unknown;
  notification_settings: unknown;
  notification_enabled_channels: unknown;
  /** Inferred from its name. */
  slack_private_channel_id: number | string | null;
  telegram_sd_bot_enabled: unknown;
  /** Inferred from its name: a time. */
  invite_last_sent_at: string | null;
  /** Inferred from `body.apps_permissions`. */
  apps_permissions: number | null;
  external: unknown;
  /** Inferred from its name: a time. */
  last_request_date: string | null;
  last_request_method: unknown;
  work_time_settings: unknown;
  personal_settings: unknown;
  locked: unknown;
  take_licence: unknown;
}

/** Answer of `companyUsers.getListOfUsers`. */
export type CompanyUsersGetListOfUsersAnswer = CompanyUsersGetListOfUsersEntry[];

/** Arguments of `companyUsers.removeVirtualUser`. */
export interface CompanyUsersRemoveVirtualUserArguments {
  readonly path: {
    readonly id: number;
  };
}

/** Answer of `companyUsers.removeVirtualUser`. */
export interface CompanyUsersRemoveVirtualUserAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `companyUsers.updateUser`. */
export interface CompanyUsersUpdateUserArguments {
  readonly path: {
    readonly id: number;
  };
  readonly body?: {
    readonly apps_permissions?: number | undefined;
    readonly temporarily_inactive?: boolean | undefined;
  } | undefined;
}

/** Answer of `companyUsers.updateUser`. */
export interface CompanyUsersUpdateUserAnswer {
  /** Inferred from `path.id`. */
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
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `default_space_id`. */
  default_space_id: number | null;
  role: number;
  permissions: number;
  /** Inferred from `body.apps_permissions`. */
  apps_permissions: number | null;
  email_frequency: unknown;
  email_settings: unknown;
  /** Inferred from its name. */
  slack_id: number | string | null;
  /** Inferred from its name. */
  slack_private_channel_id: number | string | null;
  slack_settings: unknown;
  telegram_sd_bot_enabled: unknown;
  external: unknown;
  notification_settings: unknown;
  work_time_settings: unknown;
  /** Inferred from its name: a time. */
  invite_last_sent_at: string | null;
  /** Inferred from its name: a time. */
  last_request_date: string | null;
  last_request_method: unknown;
  notification_enabled_channels: unknown;
  personal_settings: unknown;
  locked: unknown;
  temporarily_inactive: boolean;
}

/** Operations of `client.companyUsers`. */
export interface CompanyUsersOperations {
  /**
   * All users. `query` and the other filters work only together with `for_members_section`.
   *
   * `GET /company/users`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `invitesOnly`, `withTransferAccessStatus`, `for_members_section`,
   * `owner_only`, `only_paid`, `only_records_count`, `only_virtual`, `offset`, `limit`, `query`,
   * `access_type_permissions`, `sd_access_type`, `take_licence`, `temporarily_inactive_status`,
   * `group_ids`, `permissions`
   */
  readonly getListOfUsers: ListCall<CompanyUsersGetListOfUsersArguments, CompanyUsersGetListOfUsersAnswer>;

  /**
   * Deletes a virtual user; ordinary users cannot be deleted.
   *
   * `DELETE /company/users/{id}`
   *
   * @param args `path`: `id`
   */
  readonly removeVirtualUser: Call<CompanyUsersRemoveVirtualUserArguments, CompanyUsersRemoveVirtualUserAnswer | undefined>;

  /**
   * Sets the licence flags, suspends or resumes.
   *
   * `PATCH /company/users/{id}`
   *
   * @param args `path`: `id`; `body`: `apps_permissions`, `temporarily_inactive`
   */
  readonly updateUser: Call<CompanyUsersUpdateUserArguments, CompanyUsersUpdateUserAnswer>;
}
