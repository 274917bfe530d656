// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardBlockerUsers.addUserToTheCardBlocker`. */
export interface CardBlockerUsersAddUserToTheCardBlockerArguments {
  readonly path: {
    readonly blocker_id: number;
  };
  readonly body: {
    readonly user_id: number;
  };
}

/** Answer of `cardBlockerUsers.addUserToTheCardBlocker`. */
export interface CardBlockerUsersAddUserToTheCardBlockerAnswer {
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

/** Arguments of `cardBlockerUsers.removeUser`. */
export interface CardBlockerUsersRemoveUserArguments {
  readonly path: {
    readonly blocker_id: number;
    readonly user_id: number;
  };
}

/** Answer of `cardBlockerUsers.removeUser`. */
export interface CardBlockerUsersRemoveUserAnswer {
  /** Inferred from `path.user_id`. */
  id: number;
}

/** Arguments of `cardBlockerUsers.retrieveBlockersCardsListOnCurrentUser`. */
export type CardBlockerUsersRetrieveBlockersCardsListOnCurrentUserArguments = Record<never, never>;

/** Answer of `cardBlockerUsers.retrieveBlockersCardsListOnCurrentUser`. */
export interface CardBlockerUsersRetrieveBlockersCardsListOnCurrentUserAnswer {
  blocked_cards: unknown;
  summary: unknown;
}

/** Arguments of `cardBlockerUsers.retrieveListOfUsers`. */
export interface CardBlockerUsersRetrieveListOfUsersArguments {
  readonly path: {
    readonly blocker_id: number;
  };
}

/** Entry of the answer of `cardBlockerUsers.retrieveListOfUsers`. */
export interface CardBlockerUsersRetrieveListOfUsersEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.user_id`. */
  id: number;
  full_name: unknown;
  email: unknown;
  username: unknown;
  activated: unknown;
  show_tour: unknown;
  avatar_initials_url: unknown;
  initials: unknown;
  avatar_type: unknown;
  avatar_uploaded_url: unknown;
  lng: unknown;
  timezone: unknown;
  chat_enabled: unknown;
  theme: unknown;
  /** Inferred from its name. */
  sd_telegram_id: number | string | null;
  news_subscription: unknown;
  ui_version: unknown;
  /** Inferred from its name. */
  uid: string;
  virtual: unknown;
  email_blocked: unknown;
  email_blocked_reason: unknown;
  /** Inferred from its name: a time. */
  delete_requested_at: string | null;
  /** Inferred from its name: a time. */
  delete_confirmation_sent_at: string | null;
  /** Inferred from its name: a time. */
  eula_accepted_at: string | null;
  /** Inferred from its name: a time. */
  terms_of_service_accepted_at: string | null;
  /** Inferred from its name: a time. */
  privacy_policy_accepted_at: string | null;
  /** Inferred from its name. */
  block_uid: string | null;
  /** Inferred from its name. */
  user_uid: string | null;
}

/** Answer of `cardBlockerUsers.retrieveListOfUsers`. */
export type CardBlockerUsersRetrieveListOfUsersAnswer = CardBlockerUsersRetrieveListOfUsersEntry[];

/** Operations of `client.cardBlockerUsers`. */
export interface CardBlockerUsersOperations {
  /**
   * Adds a user to a blocker.
   *
   * `POST /blockers/{blocker_id}/users`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `blocker_id`; `body`: `user_id` (required)
   */
  readonly addUserToTheCardBlocker: Call<CardBlockerUsersAddUserToTheCardBlockerArguments, CardBlockerUsersAddUserToTheCardBlockerAnswer>;

  /**
   * Takes a user off a blocker.
   *
   * `DELETE /blockers/{blocker_id}/users/{user_id}`
   *
   * @param args `path`: `blocker_id`, `user_id`
   */
  readonly removeUser: Call<CardBlockerUsersRemoveUserArguments, CardBlockerUsersRemoveUserAnswer | undefined>;

  /**
   * The cards that wait for the account of the token. Documented as an object; without any the
   * service is known to answer `[]`.
   *
   * `GET /users/current/blockers`
   */
  readonly retrieveBlockersCardsListOnCurrentUser: Call<CardBlockerUsersRetrieveBlockersCardsListOnCurrentUserArguments, CardBlockerUsersRetrieveBlockersCardsListOnCurrentUserAnswer>;

  /**
   * The users of a blocker, in one answer.
   *
   * `GET /blockers/{blocker_id}/users`
   *
   * @param args `path`: `blocker_id`
   */
  readonly retrieveListOfUsers: Call<CardBlockerUsersRetrieveListOfUsersArguments, CardBlockerUsersRetrieveListOfUsersAnswer>;
}
