// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `iterations.addCardToIteration`. */
export interface IterationsAddCardToIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly iteration_id: string;
  };
  readonly body: {
    readonly card_uid: string;
  };
}

/** Answer of `iterations.addCardToIteration`. */
export interface IterationsAddCardToIterationAnswer {
  /** Inferred from the parameters called `iteration_id`. */
  iteration_id: string;
  /** Inferred from its name. */
  card_uid: string;
  /** Inferred from its name. */
  added_by_uid: string | null;
  /** Inferred from its name: a time. */
  removed_at: string | null;
  /** Inferred from its name. */
  removed_by_uid: string | null;
  sort_order: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `iterations.createIteration`. */
export interface IterationsCreateIterationArguments {
  readonly path: {
    readonly space_uid: string;
  };
  readonly body: {
    readonly title: string;
    readonly goal?: string | null | undefined;
    readonly start_date?: string | null | undefined;
    readonly finish_date?: string | null | undefined;
  };
}

/** Answer of `iterations.createIteration`. */
export interface IterationsCreateIterationAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.goal`. */
  goal: string | null;
  /** Inferred from `body.status`. */
  status: string | null;
  /** Inferred from its name. */
  creator_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  sort_order: unknown;
  data: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `iterations.deleteIteration`. */
export interface IterationsDeleteIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly id: string;
  };
  readonly body?: {
    readonly new_iteration_id?: string | null | undefined;
  } | undefined;
}

/** Answer of `iterations.deleteIteration`. */
export interface IterationsDeleteIterationAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.goal`. */
  goal: string | null;
  /** Inferred from `body.status`. */
  status: string | null;
  /** Inferred from its name. */
  creator_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  sort_order: unknown;
  data: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  moved_cards: unknown;
}

/** Arguments of `iterations.getCardIterationsHistory`. */
export interface IterationsGetCardIterationsHistoryArguments {
  readonly path: {
    readonly card_uid: string;
  };
  readonly query?: {
    readonly with_details?: boolean | undefined;
  } | undefined;
}

/** Entry of the answer of `iterations.getCardIterationsHistory`. */
export interface IterationsGetCardIterationsHistoryEntry {
  /** Inferred from the parameters called `iteration_id`. */
  iteration_id: string | null;
  /** Inferred from its name. */
  card_uid: string;
  /** Inferred from its name. */
  added_by_uid: string | null;
  /** Inferred from its name: a time. */
  removed_at: string | null;
  /** Inferred from its name. */
  removed_by_uid: string | null;
  sort_order: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Answer of `iterations.getCardIterationsHistory`. */
export type IterationsGetCardIterationsHistoryAnswer = IterationsGetCardIterationsHistoryEntry[];

/** Arguments of `iterations.getIteration`. */
export interface IterationsGetIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly id: string;
  };
}

/** Answer of `iterations.getIteration`. */
export interface IterationsGetIterationAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.goal`. */
  goal: string | null;
  /** Inferred from `body.status`. */
  status: string | null;
  /** Inferred from its name. */
  creator_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  sort_order: unknown;
  data: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `iterations.removeCardFromIteration`. */
export interface IterationsRemoveCardFromIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly iteration_id: string;
    readonly uid: string;
  };
}

/** Answer of `iterations.removeCardFromIteration`. */
export interface IterationsRemoveCardFromIterationAnswer {
  /** Inferred from the parameters called `iteration_id`. */
  iteration_id: string;
  /** Inferred from its name. */
  card_uid: string | null;
  /** Inferred from its name. */
  added_by_uid: string | null;
  /** Inferred from its name: a time. */
  removed_at: string | null;
  /** Inferred from its name. */
  removed_by_uid: string | null;
  sort_order: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `iterations.retrieveCardsInIteration`. */
export interface IterationsRetrieveCardsInIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly iteration_id: string;
  };
  readonly query?: {
    readonly status?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `iterations.retrieveCardsInIteration`. */
export interface IterationsRetrieveCardsInIterationEntry {
  /** Inferred from the parameters called `iteration_id`. */
  iteration_id: string;
  /** Inferred from its name. */
  card_uid: string | null;
  /** Inferred from its name. */
  added_by_uid: string | null;
  /** Inferred from its name: a time. */
  removed_at: string | null;
  /** Inferred from its name. */
  removed_by_uid: string | null;
  sort_order: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number | null;
}

/** Answer of `iterations.retrieveCardsInIteration`. */
export type IterationsRetrieveCardsInIterationAnswer = IterationsRetrieveCardsInIterationEntry[];

/** Arguments of `iterations.retrieveListOfIterations`. */
export interface IterationsRetrieveListOfIterationsArguments {
  readonly path: {
    readonly space_uid: string;
  };
  readonly query?: {
    readonly status?: string | undefined;
    readonly with_data?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly order?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `iterations.retrieveListOfIterations`. */
export interface IterationsRetrieveListOfIterationsEntry {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.goal`. */
  goal: string | null;
  /** Inferred from `body.status`. */
  status: string | null;
  /** Inferred from its name. */
  creator_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  sort_order: unknown;
  data: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Answer of `iterations.retrieveListOfIterations`. */
export type IterationsRetrieveListOfIterationsAnswer = IterationsRetrieveListOfIterationsEntry[];

/** Arguments of `iterations.updateIteration`. */
export interface IterationsUpdateIterationArguments {
  readonly path: {
    readonly space_uid: string;
    readonly id: string;
  };
  readonly body?: {
    readonly title?: string | undefined;
    readonly goal?: string | null | undefined;
    readonly status?: 'planned' | 'active' | 'closed' | undefined;
    readonly start_date?: string | null | undefined;
    readonly finish_date?: string | null | undefined;
    readonly actual_finish_date?: string | null | undefined;
    readonly new_iteration_id?: string | null | undefined;
  } | undefined;
}

/** Answer of `iterations.updateIteration`. */
export interface IterationsUpdateIterationAnswer {
  /** Inferred from `path.id`. */
  id: string;
  /** Inferred from its name. */
  space_uid: string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.goal`. */
  goal: string | null;
  /** Inferred from `body.status`. */
  status: string | null;
  /** Inferred from its name. */
  creator_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  sort_order: unknown;
  data: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Operations of `client.iterations`. */
export interface IterationsOperations {
  /**
   * Puts a card into an iteration.
   *
   * `POST /spaces/{space_uid}/iterations/{iteration_id}/cards`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_uid`, `iteration_id`; `body`: `card_uid` (required)
   */
  readonly addCardToIteration: Call<IterationsAddCardToIterationArguments, IterationsAddCardToIterationAnswer>;

  /**
   * Plans an iteration.
   *
   * `POST /spaces/{space_uid}/iterations`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_uid`; `body`: `title` (required), `goal`, `start_date`,
   * `finish_date`
   */
  readonly createIteration: Call<IterationsCreateIterationArguments, IterationsCreateIterationAnswer>;

  /**
   * Deletes an iteration; its cards may go to another.
   *
   * `DELETE /spaces/{space_uid}/iterations/{id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `space_uid`, `id`; `body`: `new_iteration_id`
   */
  readonly deleteIteration: Call<IterationsDeleteIterationArguments, IterationsDeleteIterationAnswer | undefined>;

  /**
   * The iterations that a card was in, in one answer.
   *
   * `GET /cards/{card_uid}/iterations-history`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `card_uid`; `query`: `with_details`
   */
  readonly getCardIterationsHistory: Call<IterationsGetCardIterationsHistoryArguments, IterationsGetCardIterationsHistoryAnswer>;

  /**
   * One iteration.
   *
   * `GET /spaces/{space_uid}/iterations/{id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `space_uid`, `id`
   */
  readonly getIteration: Call<IterationsGetIterationArguments, IterationsGetIterationAnswer>;

  /**
   * Takes a card out of an iteration.
   *
   * `DELETE /spaces/{space_uid}/iterations/{iteration_id}/cards/{uid}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `space_uid`, `iteration_id`, `uid`
   */
  readonly removeCardFromIteration: Call<IterationsRemoveCardFromIterationArguments, IterationsRemoveCardFromIterationAnswer | undefined>;

  /**
   * The cards of an iteration, in one answer.
   *
   * `GET /spaces/{space_uid}/iterations/{iteration_id}/cards`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `space_uid`, `iteration_id`; `query`: `status`
   */
  readonly retrieveCardsInIteration: Call<IterationsRetrieveCardsInIterationArguments, IterationsRetrieveCardsInIterationAnswer>;

  /**
   * The iterations of a space.
   *
   * `GET /spaces/{space_uid}/iterations`
   *
   * The service flags it as beta.
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `space_uid`; `query`: `status`, `with_data`, `limit`, `offset`, `order`
   */
  readonly retrieveListOfIterations: ListCall<IterationsRetrieveListOfIterationsArguments, IterationsRetrieveListOfIterationsAnswer>;

  /**
   * Changes, starts or closes an iteration; cards that are not done may go to another.
   *
   * `PATCH /spaces/{space_uid}/iterations/{id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `space_uid`, `id`; `body`: `title`, `goal`, `status`, `start_date`,
   * `finish_date`, `actual_finish_date`, `new_iteration_id`
   */
  readonly updateIteration: Call<IterationsUpdateIterationArguments, IterationsUpdateIterationAnswer>;
}
