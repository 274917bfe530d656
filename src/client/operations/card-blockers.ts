// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardBlockers.blockCard`. */
export interface CardBlockersBlockCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body?: {
    readonly reason?: string | undefined;
    readonly blocker_card_id?: number | undefined;
  } | undefined;
}

/** Answer of `cardBlockers.blockCard`. */
export interface CardBlockersBlockCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.reason`. */
  reason: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `blocker_id`. */
  blocker_id: number | null;
  /** Inferred from the parameters called `blocker_card_id`. */
  blocker_card_id: number | null;
  blocker_card_title: unknown;
  released: unknown;
  /** Inferred from its name. */
  released_by_id: number | string | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  blocked_card: unknown;
  blocker: unknown;
  card: unknown;
}

/** Arguments of `cardBlockers.deleteCardBlockers`. */
export interface CardBlockersDeleteCardBlockersArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardBlockers.deleteCardBlockers`. */
export interface CardBlockersDeleteCardBlockersAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.reason`. */
  reason: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `blocker_id`. */
  blocker_id: number | null;
  /** Inferred from the parameters called `blocker_card_id`. */
  blocker_card_id: number | null;
  blocker_card_title: unknown;
  released: unknown;
  /** Inferred from its name. */
  released_by_id: number | string | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  blocked_card: unknown;
  card: unknown;
}

/** Arguments of `cardBlockers.retrieveCardBlockersList`. */
export interface CardBlockersRetrieveCardBlockersListArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardBlockers.retrieveCardBlockersList`. */
export interface CardBlockersRetrieveCardBlockersListEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.reason`. */
  reason: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `blocker_id`. */
  blocker_id: number | null;
  /** Inferred from the parameters called `blocker_card_id`. */
  blocker_card_id: number | null;
  blocker_card_title: unknown;
  released: unknown;
  /** Inferred from its name. */
  released_by_id: number | string | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  blocked_card: unknown;
  blocker: unknown;
  card: unknown;
}

/** Answer of `cardBlockers.retrieveCardBlockersList`. */
export type CardBlockersRetrieveCardBlockersListAnswer = CardBlockersRetrieveCardBlockersListEntry[];

/** Arguments of `cardBlockers.updateCardBlockers`. */
export interface CardBlockersUpdateCardBlockersArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly reason?: string | undefined;
    readonly blocker_card_id?: number | undefined;
    readonly due_date?: string | null | undefined;
    readonly due_date_time_present?: boolean | null | undefined;
  } | undefined;
}

/** Answer of `cardBlockers.updateCardBlockers`. */
export interface CardBlockersUpdateCardBlockersAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.reason`. */
  reason: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `blocker_id`. */
  blocker_id: number | null;
  /** Inferred from the parameters called `blocker_card_id`. */
  blocker_card_id: number | null;
  blocker_card_title: unknown;
  released: unknown;
  /** Inferred from its name. */
  released_by_id: number | string | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
}

/** Operations of `client.cardBlockers`. */
export interface CardBlockersOperations {
  /**
   * Blocks a card.
   *
   * `POST /cards/{card_id}/blockers`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `reason`, `blocker_card_id`
   */
  readonly blockCard: Call<CardBlockersBlockCardArguments, CardBlockersBlockCardAnswer>;

  /**
   * Removes a blocker.
   *
   * `DELETE /cards/{card_id}/blockers/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly deleteCardBlockers: Call<CardBlockersDeleteCardBlockersArguments, CardBlockersDeleteCardBlockersAnswer | undefined>;

  /**
   * The blockers of a card, in one answer.
   *
   * `GET /cards/{card_id}/blockers`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardBlockersList: Call<CardBlockersRetrieveCardBlockersListArguments, CardBlockersRetrieveCardBlockersListAnswer>;

  /**
   * Changes the reason, the blocking card or the due date of a blocker.
   *
   * `PATCH /cards/{card_id}/blockers/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `reason`, `blocker_card_id`, `due_date`,
   * `due_date_time_present`
   */
  readonly updateCardBlockers: Call<CardBlockersUpdateCardBlockersArguments, CardBlockersUpdateCardBlockersAnswer>;
}
