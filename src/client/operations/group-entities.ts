// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `groupEntities.addEntity`. */
export interface GroupEntitiesAddEntityArguments {
  readonly path: {
    readonly group_uid: string;
  };
  readonly body: {
    readonly entity_uid: string;
    readonly role_ids: readonly string[];
  };
}

/** Answer of `groupEntities.addEntity`. */
export interface GroupEntitiesAddEntityAnswer {
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  entity_uid: string;
  role_permissions: Record<string, unknown>;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  role_ids: string[];
}

/** Arguments of `groupEntities.getListOfGroupEntities`. */
export interface GroupEntitiesGetListOfGroupEntitiesArguments {
  readonly path: {
    readonly group_uid: string;
  };
}

/** Entry of the answer of `groupEntities.getListOfGroupEntities`. */
export interface GroupEntitiesGetListOfGroupEntitiesEntry {
  /** Inferred from its name. */
  uid: string;
  path: unknown;
  title: unknown;
  entity_type: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
}

/** Answer of `groupEntities.getListOfGroupEntities`. */
export type GroupEntitiesGetListOfGroupEntitiesAnswer = GroupEntitiesGetListOfGroupEntitiesEntry[];

/** Arguments of `groupEntities.removeEntity`. */
export interface GroupEntitiesRemoveEntityArguments {
  readonly path: {
    readonly group_uid: string;
    readonly uid: string;
  };
}

/** Answer of `groupEntities.removeEntity`. */
export interface GroupEntitiesRemoveEntityAnswer {
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  entity_uid: string;
  role_permissions: Record<string, unknown>;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  role_ids: string[];
  role: unknown;
  own_role: unknown;
}

/** Arguments of `groupEntities.updateGroupEntity`. */
export interface GroupEntitiesUpdateGroupEntityArguments {
  readonly path: {
    readonly group_uid: string;
    readonly uid: string;
  };
  readonly body?: {
    readonly role_ids?: readonly string[] | undefined;
  } | undefined;
}

/** Answer of `groupEntities.updateGroupEntity`. */
export interface GroupEntitiesUpdateGroupEntityAnswer {
  /** Inferred from the parameters called `group_id`. */
  group_id: number | string | null;
  entity_uid: string;
  role_permissions: Record<string, unknown>;
  access_mod: unknown;
  /** Inferred from its name. */
  own_role_ids: (number | string)[] | null;
  own_access_mod: unknown;
  role_ids: string[];
}

/** Operations of `client.groupEntities`. */
export interface GroupEntitiesOperations {
  /**
   * Gives a group roles in an entity of the tree.
   *
   * `POST /company/groups/{group_uid}/entities`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `group_uid`; `body`: `entity_uid` (required), `role_ids` (required)
   */
  readonly addEntity: Call<GroupEntitiesAddEntityArguments, GroupEntitiesAddEntityAnswer>;

  /**
   * The entities of a group, in one answer.
   *
   * `GET /company/groups/{group_uid}/entities`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`
   */
  readonly getListOfGroupEntities: Call<GroupEntitiesGetListOfGroupEntitiesArguments, GroupEntitiesGetListOfGroupEntitiesAnswer>;

  /**
   * Takes an entity from a group.
   *
   * `DELETE /company/groups/{group_uid}/entities/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`, `uid`
   */
  readonly removeEntity: Call<GroupEntitiesRemoveEntityArguments, GroupEntitiesRemoveEntityAnswer | undefined>;

  /**
   * Sets the roles of a group in an entity.
   *
   * `PATCH /company/groups/{group_uid}/entities/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `group_uid`, `uid`; `body`: `role_ids`
   */
  readonly updateGroupEntity: Call<GroupEntitiesUpdateGroupEntityArguments, GroupEntitiesUpdateGroupEntityAnswer>;
}
