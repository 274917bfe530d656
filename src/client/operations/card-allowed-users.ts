// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { ListCall } from '../client-types.ts';

/** Arguments of `cardAllowedUsers.retrieveUsersList`. */
export interface CardAllowedUsersRetrieveUsersListArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly query?: {
    readonly type?: string | undefined;
    readonly search?: string | undefined;
    readonly orderBy?: string | undefined;
    readonly role?: number | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `cardAllowedUsers.retrieveUsersList`. */
export interface CardAllowedUsersRetrieveUsersListEntry {
  /** Inferred from its name. */
  id: number | string;
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
}

/** Answer of `cardAllowedUsers.retrieveUsersList`. */
export type CardAllowedUsersRetrieveUsersListAnswer = CardAllowedUsersRetrieveUsersListEntry[];

/** Operations of `client.cardAllowedUsers`. */
export interface CardAllowedUsersOperations {
  /**
   * The users who may be put on the card. The service is known to ignore paging and to answer
   * with all.
   *
   * `GET /cards/{card_id}/allowed-users`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `card_id`; `query`: `type`, `search`, `orderBy`, `role`, `limit`,
   * `offset`
   */
  readonly retrieveUsersList: ListCall<CardAllowedUsersRetrieveUsersListArguments, CardAllowedUsersRetrieveUsersListAnswer>;
}
