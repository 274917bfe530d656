// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { ListCall } from '../client-types.ts';

/** Arguments of `treeEntities.getListOfEntities`. */
export interface TreeEntitiesGetListOfEntitiesArguments {
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly parent_entity_uid?: string | undefined;
    readonly levels_count?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `treeEntities.getListOfEntities`. */
export interface TreeEntitiesGetListOfEntitiesEntry {
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from its name. */
  uid: string;
  title: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  sort_order: unknown;
  path: unknown;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  access: unknown;
  archived: unknown;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
}

/** Answer of `treeEntities.getListOfEntities`. */
export type TreeEntitiesGetListOfEntitiesAnswer = TreeEntitiesGetListOfEntitiesEntry[];

/** Operations of `client.treeEntities`. */
export interface TreeEntitiesOperations {
  /**
   * Entities of the tree, from the root or below a parent.
   *
   * `GET /tree-entities`
   *
   * The service flags it as beta.
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `limit`, `offset`, `parent_entity_uid`, `levels_count`
   */
  readonly getListOfEntities: ListCall<TreeEntitiesGetListOfEntitiesArguments, TreeEntitiesGetListOfEntitiesAnswer>;
}
