// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `treeEntityRoles.getListOfTreeEntityRoles`. */
export type TreeEntityRolesGetListOfTreeEntityRolesArguments = Record<never, never>;

/** Entry of the answer of `treeEntityRoles.getListOfTreeEntityRoles`. */
export interface TreeEntityRolesGetListOfTreeEntityRolesEntry {
  /** Inferred from its name. */
  id: number | string;
  name: unknown;
  permissions: unknown;
  sort_order: unknown;
  new_permissions_default_value: unknown;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
}

/** Answer of `treeEntityRoles.getListOfTreeEntityRoles`. */
export type TreeEntityRolesGetListOfTreeEntityRolesAnswer = TreeEntityRolesGetListOfTreeEntityRolesEntry[];

/** Operations of `client.treeEntityRoles`. */
export interface TreeEntityRolesOperations {
  /**
   * All roles, in one answer.
   *
   * `GET /tree-entity-roles`
   *
   * The service flags it as beta.
   * Known from the running service only, not from its documents.
   */
  readonly getListOfTreeEntityRoles: Call<TreeEntityRolesGetListOfTreeEntityRolesArguments, TreeEntityRolesGetListOfTreeEntityRolesAnswer>;
}
