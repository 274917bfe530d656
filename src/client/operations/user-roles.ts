// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `userRoles.createUserRole`. */
export interface UserRolesCreateUserRoleArguments {
  readonly body: {
    readonly name: string;
  };
}

/** Answer of `userRoles.createUserRole`. */
export interface UserRolesCreateUserRoleAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  company_id: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.role_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `userRoles.getListOfUserRoles`. */
export type UserRolesGetListOfUserRolesArguments = Record<never, never>;

/** Entry of the answer of `userRoles.getListOfUserRoles`. */
export interface UserRolesGetListOfUserRolesEntry {
  /** Inferred from `body.name`. */
  name: string | null;
  company_id: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.role_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
}

/** Answer of `userRoles.getListOfUserRoles`. */
export type UserRolesGetListOfUserRolesAnswer = UserRolesGetListOfUserRolesEntry[];

/** Arguments of `userRoles.getUserRole`. */
export interface UserRolesGetUserRoleArguments {
  readonly path: {
    readonly role_id: number;
  };
}

/** Answer of `userRoles.getUserRole`. */
export interface UserRolesGetUserRoleAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  company_id: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.role_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `userRoles.removeUserRole`. */
export interface UserRolesRemoveUserRoleArguments {
  readonly path: {
    readonly role_id: number;
  };
  readonly body: {
    readonly replace_role_id: number;
  };
}

/** Answer of `userRoles.removeUserRole`. */
export interface UserRolesRemoveUserRoleAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  company_id: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.role_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `userRoles.updateUserRole`. */
export interface UserRolesUpdateUserRoleArguments {
  readonly path: {
    readonly role_id: number;
  };
  readonly body: {
    readonly name: string;
  };
}

/** Answer of `userRoles.updateUserRole`. */
export interface UserRolesUpdateUserRoleAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  company_id: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.role_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
}

/** Operations of `client.userRoles`. */
export interface UserRolesOperations {
  /**
   * Creates a role.
   *
   * `POST /user-roles`
   *
   * Known from the running service only, not from its documents.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `name` (required)
   */
  readonly createUserRole: Call<UserRolesCreateUserRoleArguments, UserRolesCreateUserRoleAnswer>;

  /**
   * All roles, in one answer.
   *
   * `GET /user-roles`
   *
   * Known from the running service only, not from its documents.
   */
  readonly getListOfUserRoles: Call<UserRolesGetListOfUserRolesArguments, UserRolesGetListOfUserRolesAnswer>;

  /**
   * One role.
   *
   * `GET /user-roles/{role_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `role_id`
   */
  readonly getUserRole: Call<UserRolesGetUserRoleArguments, UserRolesGetUserRoleAnswer>;

  /**
   * Deletes a role; its time logs go to another.
   *
   * `DELETE /user-roles/{role_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `role_id`; `body`: `replace_role_id` (required)
   */
  readonly removeUserRole: Call<UserRolesRemoveUserRoleArguments, UserRolesRemoveUserRoleAnswer | undefined>;

  /**
   * Renames a role.
   *
   * `PATCH /user-roles/{role_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `role_id`; `body`: `name` (required)
   */
  readonly updateUserRole: Call<UserRolesUpdateUserRoleArguments, UserRolesUpdateUserRoleAnswer>;
}
