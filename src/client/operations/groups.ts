// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `groups.createGroup`. */
export interface GroupsCreateGroupArguments {
  readonly body: {
    readonly name: string;
    readonly permissions?: number | undefined;
    readonly add_to_cards_and_spaces_enabled?: boolean | undefined;
  };
}

/** Answer of `groups.createGroup`. */
export interface GroupsCreateGroupAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  permissions: number;
  /** Inferred from `body.add_to_cards_and_spaces_enabled`. */
  add_to_cards_and_spaces_enabled: boolean | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  id: number;
  uid: string;
}

/** Arguments of `groups.getGroup`. */
export interface GroupsGetGroupArguments {
  readonly path: {
    readonly uid: string;
  };
}

/** Answer of `groups.getGroup`. */
export interface GroupsGetGroupAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  permissions: number;
  /** Inferred from `body.add_to_cards_and_spaces_enabled`. */
  add_to_cards_and_spaces_enabled: boolean | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  id: number;
  uid: string;
}

/** Arguments of `groups.getListOfGroups`. */
export interface GroupsGetListOfGroupsArguments {
  readonly query?: {
    readonly with_tree_entities?: boolean | undefined;
    readonly with_users_count?: boolean | undefined;
    readonly with_sync_group_attribute?: boolean | undefined;
    readonly condition?: string | number | undefined;
    readonly query?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `groups.getListOfGroups`. */
export interface GroupsGetListOfGroupsEntry {
  /** Inferred from `body.name`. */
  name: string | null;
  permissions: number;
  /** Inferred from `body.add_to_cards_and_spaces_enabled`. */
  add_to_cards_and_spaces_enabled: boolean | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  id: number;
  uid: string;
}

/** Answer of `groups.getListOfGroups`. */
export type GroupsGetListOfGroupsAnswer = GroupsGetListOfGroupsEntry[];

/** Arguments of `groups.removeGroup`. */
export interface GroupsRemoveGroupArguments {
  readonly path: {
    readonly uid: string;
  };
}

/** Answer of `groups.removeGroup`. */
export interface GroupsRemoveGroupAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  permissions: number;
  /** Inferred from `body.add_to_cards_and_spaces_enabled`. */
  add_to_cards_and_spaces_enabled: boolean | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  id: number;
  uid: string;
}

/** Arguments of `groups.updateGroup`. */
export interface GroupsUpdateGroupArguments {
  readonly path: {
    readonly uid: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly permissions?: number | undefined;
    readonly add_to_cards_and_spaces_enabled?: boolean | undefined;
  } | undefined;
}

/** Answer of `groups.updateGroup`. */
export interface GroupsUpdateGroupAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  permissions: number;
  /** Inferred from `body.add_to_cards_and_spaces_enabled`. */
  add_to_cards_and_spaces_enabled: boolean | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  id: number;
  uid: string;
}

/** Operations of `client.groups`. */
export interface GroupsOperations {
  /**
   * Creates a group; the answer carries both its ids.
   *
   * `POST /company/groups`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `name` (required), `permissions`, `add_to_cards_and_spaces_enabled`
   */
  readonly createGroup: Call<GroupsCreateGroupArguments, GroupsCreateGroupAnswer>;

  /**
   * One group, without its members.
   *
   * `GET /company/groups/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `uid`
   */
  readonly getGroup: Call<GroupsGetGroupArguments, GroupsGetGroupAnswer>;

  /**
   * All groups. The service pages only when `limit` or `offset` is sent.
   *
   * `GET /company/groups`
   *
   * The service flags it as beta.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `with_tree_entities`, `with_users_count`, `with_sync_group_attribute`,
   * `condition`, `query`, `limit`, `offset`
   */
  readonly getListOfGroups: ListCall<GroupsGetListOfGroupsArguments, GroupsGetListOfGroupsAnswer>;

  /**
   * Deletes a group; 404 means that it is gone already.
   *
   * `DELETE /company/groups/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `uid`
   */
  readonly removeGroup: Call<GroupsRemoveGroupArguments, GroupsRemoveGroupAnswer | undefined>;

  /**
   * Renames, sets permissions.
   *
   * `PATCH /company/groups/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `uid`; `body`: `name`, `permissions`, `add_to_cards_and_spaces_enabled`
   */
  readonly updateGroup: Call<GroupsUpdateGroupArguments, GroupsUpdateGroupAnswer>;
}
