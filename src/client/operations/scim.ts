// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `scim.addGroup`. */
export interface ScimAddGroupArguments {
  readonly body: {
    readonly displayName: string;
  };
}

/** Answer of `scim.addGroup`. */
export interface ScimAddGroupAnswer {
  schemas: string[];
  id: string;
  /** Inferred from `body.displayName`. */
  displayName: string | null;
  meta: Record<string, unknown>;
}

/** Arguments of `scim.getGroup`. */
export interface ScimGetGroupArguments {
  readonly path: {
    readonly group_id: string | number;
  };
}

/** Answer of `scim.getGroup`. */
export interface ScimGetGroupAnswer {
  schemas: string[];
  id: string;
  /** Inferred from `body.displayName`. */
  displayName: string | null;
  meta: Record<string, unknown>;
  members: Record<string, unknown>[];
}

/** Arguments of `scim.getGroups`. */
export interface ScimGetGroupsArguments {
  readonly query?: {
    readonly startIndex?: number | undefined;
    readonly count?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `scim.getGroups`. */
export interface ScimGetGroupsEntry {
  schemas: string[];
  id: string;
  /** Inferred from `body.displayName`. */
  displayName: string | null;
  meta: Record<string, unknown>;
  members: Record<string, unknown>[];
}

/** Answer of `scim.getGroups`. */
export interface ScimGetGroupsAnswer {
  schemas: unknown;
  Resources: ScimGetGroupsEntry[];
  totalResults: unknown;
  itemsPerPage: unknown;
  startIndex: unknown;
}

/** Arguments of `scim.updateGroup`. */
export interface ScimUpdateGroupArguments {
  readonly path: {
    readonly group_id: string | number;
  };
  readonly body: {
    readonly Operations: readonly object[];
  };
}

/** Answer of `scim.updateGroup`. */
export interface ScimUpdateGroupAnswer {
  schemas: string[];
  id: string;
  /** Inferred from `body.displayName`. */
  displayName: string | null;
  meta: Record<string, unknown>;
  members: Record<string, unknown>[];
}

/** Arguments of `scim.addUser`. */
export interface ScimAddUserArguments {
  readonly body: {
    readonly userName?: string | undefined;
    readonly emails: readonly unknown[];
    /** Not in the documents of the service. */
    readonly name?: object | undefined;
  };
}

/** Answer of `scim.addUser`. */
export interface ScimAddUserAnswer {
  schemas: string[];
  meta: Record<string, unknown>;
  id: number;
  name: Record<string, unknown>;
  /** Inferred from `body.userName`. */
  userName: string | null;
  active: boolean;
  emails: Record<string, unknown>[];
}

/** Arguments of `scim.getUser`. */
export interface ScimGetUserArguments {
  readonly path: {
    readonly user_id: number;
  };
}

/** Answer of `scim.getUser`. */
export interface ScimGetUserAnswer {
  schemas: string[];
  meta: Record<string, unknown>;
  id: number;
  name: Record<string, unknown>;
  /** Inferred from `body.userName`. */
  userName: string | null;
  active: boolean;
  emails: Record<string, unknown>[];
  groups: Record<string, unknown>[];
}

/** Arguments of `scim.getUsers`. */
export interface ScimGetUsersArguments {
  readonly query?: {
    readonly startIndex?: number | undefined;
    readonly count?: number | undefined;
    readonly filter?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `scim.getUsers`. */
export interface ScimGetUsersEntry {
  schemas: string[];
  meta: Record<string, unknown>;
  id: number;
  name: Record<string, unknown>;
  /** Inferred from `body.userName`. */
  userName: string | null;
  active: boolean;
  emails: Record<string, unknown>[];
}

/** Answer of `scim.getUsers`. */
export interface ScimGetUsersAnswer {
  schemas: unknown;
  Resources: ScimGetUsersEntry[];
  totalResults: unknown;
  itemsPerPage: unknown;
  startIndex: unknown;
}

/** Arguments of `scim.updateUser`. */
export interface ScimUpdateUserArguments {
  readonly path: {
    readonly user_id: number;
  };
  readonly body: {
    readonly Operations: readonly object[];
  };
}

/** Answer of `scim.updateUser`. */
export interface ScimUpdateUserAnswer {
  schemas: string[];
  meta: Record<string, unknown>;
  id: number;
  name: Record<string, unknown>;
  /** Inferred from `body.userName`. */
  userName: string | null;
  active: boolean;
  emails: Record<string, unknown>[];
  groups: Record<string, unknown>[];
}

/** Operations of `client.scim`. */
export interface ScimOperations {
  /**
   * Creates a group. A name that exists answers 409.
   *
   * `POST /scim/v2/Groups`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `displayName` (required)
   */
  readonly addGroup: Call<ScimAddGroupArguments, ScimAddGroupAnswer>;

  /**
   * One group with its members.
   *
   * `GET /scim/v2/Groups/{group_id}`
   *
   * @param args `path`: `group_id`
   */
  readonly getGroup: Call<ScimGetGroupArguments, ScimGetGroupAnswer>;

  /**
   * All groups, with their members where the service lists them.
   *
   * `GET /scim/v2/Groups`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `startIndex`, `count`
   */
  readonly getGroups: ListCall<ScimGetGroupsArguments, ScimGetGroupsAnswer>;

  /**
   * Adds and removes members, renames. The inner shape of `Operations` is not documented; the one
   * in use is `{ op, path, value }` with one numeric user id in each. Unsafe to repeat: a batch
   * of which a part already holds may be refused as a whole, so a lost answer is better looked
   * at.
   *
   * `PATCH /scim/v2/Groups/{group_id}`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `group_id`; `body`: `Operations` (required)
   */
  readonly updateGroup: Call<ScimUpdateGroupArguments, ScimUpdateGroupAnswer>;

  /**
   * Creates (invites) a user. Entries of `emails` are strings or `{ value, type, primary }`, as
   * the service takes them.
   *
   * `POST /scim/v2/Users`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `userName`, `emails` (required), `name`
   */
  readonly addUser: Call<ScimAddUserArguments, ScimAddUserAnswer>;

  /**
   * One user with its groups.
   *
   * `GET /scim/v2/Users/{user_id}`
   *
   * @param args `path`: `user_id`
   */
  readonly getUser: Call<ScimGetUserArguments, ScimGetUserAnswer>;

  /**
   * All users. The grammar of `filter` is not documented, so its answer proves nothing by itself.
   *
   * `GET /scim/v2/Users`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `startIndex`, `count`, `filter`
   */
  readonly getUsers: ListCall<ScimGetUsersArguments, ScimGetUsersAnswer>;

  /**
   * Sets `active` and the name. Sets values, so a repeat changes nothing more.
   *
   * `PATCH /scim/v2/Users/{user_id}`
   *
   * @param args `path`: `user_id`; `body`: `Operations` (required)
   */
  readonly updateUser: Call<ScimUpdateUserArguments, ScimUpdateUserAnswer>;
}
