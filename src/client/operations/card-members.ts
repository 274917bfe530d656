// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardMembers.addMemberToCard`. */
export interface CardMembersAddMemberToCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly user_id: number;
  };
}

/** Answer of `cardMembers.addMemberToCard`. */
export interface CardMembersAddMemberToCardAnswer {
  /** Inferred from `path.id`. */
  id: number;
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
  updated: string;
  /** Inferred from `body.type`. */
  type: number | null;
}

/** Arguments of `cardMembers.removeMemberFromCard`. */
export interface CardMembersRemoveMemberFromCardArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardMembers.removeMemberFromCard`. */
export interface CardMembersRemoveMemberFromCardAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardMembers.retrieveListOfCardMembers`. */
export interface CardMembersRetrieveListOfCardMembersArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardMembers.retrieveListOfCardMembers`. */
export interface CardMembersRetrieveListOfCardMembersEntry {
  /** Inferred from `path.id`. */
  id: number;
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
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
}

/** Answer of `cardMembers.retrieveListOfCardMembers`. */
export type CardMembersRetrieveListOfCardMembersAnswer = CardMembersRetrieveListOfCardMembersEntry[];

/** Arguments of `cardMembers.updateMemberRole`. */
export interface CardMembersUpdateMemberRoleArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body: {
    readonly type: number;
  };
}

/** Answer of `cardMembers.updateMemberRole`. */
export interface CardMembersUpdateMemberRoleAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
}

/** Operations of `client.cardMembers`. */
export interface CardMembersOperations {
  /**
   * Puts a user on a card.
   *
   * `POST /cards/{card_id}/members`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `user_id` (required)
   */
  readonly addMemberToCard: Call<CardMembersAddMemberToCardArguments, CardMembersAddMemberToCardAnswer>;

  /**
   * Takes a user off a card.
   *
   * `DELETE /cards/{card_id}/members/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly removeMemberFromCard: Call<CardMembersRemoveMemberFromCardArguments, CardMembersRemoveMemberFromCardAnswer | undefined>;

  /**
   * The users of a card, in one answer.
   *
   * `GET /cards/{card_id}/members`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveListOfCardMembers: Call<CardMembersRetrieveListOfCardMembersArguments, CardMembersRetrieveListOfCardMembersAnswer>;

  /**
   * Makes a member responsible, or no longer.
   *
   * `PATCH /cards/{card_id}/members/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `type` (required)
   */
  readonly updateMemberRole: Call<CardMembersUpdateMemberRoleArguments, CardMembersUpdateMemberRoleAnswer>;
}
