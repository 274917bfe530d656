// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `spaces.createNewSpace`. */
export interface SpacesCreateNewSpaceArguments {
  readonly body: {
    readonly title: string | number;
    readonly external_id?: number | string | null | undefined;
    readonly parent_entity_uid?: string | undefined;
    readonly for_everyone_access_role_id?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly work_calendar_id?: string | undefined;
  };
}

/** Answer of `spaces.createNewSpace`. */
export interface SpacesCreateNewSpaceAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  entity_type: unknown;
  path: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `path.space_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from its name. */
  allowed_card_type_ids: (number | string)[] | null;
  /** Inferred from its name. */
  hidden_card_type_uids: string[] | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  settings: unknown;
  users: unknown;
}

/** Arguments of `spaces.removeSpace`. */
export interface SpacesRemoveSpaceArguments {
  readonly path: {
    readonly space_id: number;
  };
}

/** Answer of `spaces.removeSpace`. */
export interface SpacesRemoveSpaceAnswer {
  /** Inferred from `path.space_id`. */
  id: number;
}

/** Arguments of `spaces.retrieveListOfSpaces`. */
export interface SpacesRetrieveListOfSpacesArguments {
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `spaces.retrieveListOfSpaces`. */
export interface SpacesRetrieveListOfSpacesEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  entity_type: unknown;
  path: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `path.space_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from its name. */
  allowed_card_type_ids: (number | string)[] | null;
  /** Inferred from its name. */
  hidden_card_type_uids: string[] | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  settings: unknown;
  boards: unknown;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name. */
  entity_uid: string | null;
  access_mod: unknown;
}

/** Answer of `spaces.retrieveListOfSpaces`. */
export type SpacesRetrieveListOfSpacesAnswer = SpacesRetrieveListOfSpacesEntry[];

/** Arguments of `spaces.retrieveSpace`. */
export interface SpacesRetrieveSpaceArguments {
  readonly path: {
    readonly space_id: number;
  };
}

/** Answer of `spaces.retrieveSpace`. */
export interface SpacesRetrieveSpaceAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  entity_type: unknown;
  path: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `path.space_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from its name. */
  allowed_card_type_ids: (number | string)[] | null;
  /** Inferred from its name. */
  hidden_card_type_uids: string[] | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  settings: unknown;
}

/** Arguments of `spaces.updateSpace`. */
export interface SpacesUpdateSpaceArguments {
  readonly path: {
    readonly space_id: number;
  };
  readonly body?: {
    readonly title?: string | number | undefined;
    readonly external_id?: number | string | null | undefined;
    readonly hidden_card_type_uids?: readonly string[] | undefined;
    readonly settings?: object | undefined;
    readonly access?: 'for_everyone' | 'by_invite' | undefined;
    readonly parent_entity_uid?: string | null | undefined;
    readonly sort_order?: number | undefined;
  } | undefined;
}

/** Answer of `spaces.updateSpace`. */
export interface SpacesUpdateSpaceAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  entity_type: unknown;
  path: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `path.space_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from its name. */
  allowed_card_type_ids: (number | string)[] | null;
  /** Inferred from its name. */
  hidden_card_type_uids: string[] | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  settings: unknown;
}

/** Operations of `client.spaces`. */
export interface SpacesOperations {
  /**
   * Creates a space.
   *
   * `POST /spaces`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `title` (required), `external_id`, `parent_entity_uid`,
   * `for_everyone_access_role_id`, `sort_order`, `work_calendar_id`
   */
  readonly createNewSpace: Call<SpacesCreateNewSpaceArguments, SpacesCreateNewSpaceAnswer>;

  /**
   * Deletes a space.
   *
   * `DELETE /spaces/{space_id}`
   *
   * @param args `path`: `space_id`
   */
  readonly removeSpace: Call<SpacesRemoveSpaceArguments, SpacesRemoveSpaceAnswer | undefined>;

  /**
   * The spaces that the account of the token may see.
   *
   * `GET /spaces`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `limit`, `offset`
   */
  readonly retrieveListOfSpaces: ListCall<SpacesRetrieveListOfSpacesArguments, SpacesRetrieveListOfSpacesAnswer>;

  /**
   * One space.
   *
   * `GET /spaces/{space_id}`
   *
   * @param args `path`: `space_id`
   */
  readonly retrieveSpace: Call<SpacesRetrieveSpaceArguments, SpacesRetrieveSpaceAnswer>;

  /**
   * Changes a space, or moves it in the tree.
   *
   * `PATCH /spaces/{space_id}`
   *
   * @param args `path`: `space_id`; `body`: `title`, `external_id`, `hidden_card_type_uids`,
   * `settings`, `access`, `parent_entity_uid`, `sort_order`
   */
  readonly updateSpace: Call<SpacesUpdateSpaceArguments, SpacesUpdateSpaceAnswer>;
}
