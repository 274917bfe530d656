// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `sprints.getSprintSummary`. */
export interface SprintsGetSprintSummaryArguments {
  readonly path: {
    readonly id: number;
  };
  readonly query?: {
    readonly exclude_deleted_cards?: boolean | undefined;
  } | undefined;
}

/** Answer of `sprints.getSprintSummary`. */
export interface SprintsGetSprintSummaryAnswer {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  title: unknown;
  goal: unknown;
  active: unknown;
  committed: unknown;
  children_committed: unknown;
  velocity: unknown;
  velocity_details: unknown;
  children_velocity: unknown;
  children_velocity_details: unknown;
  /** Inferred from its name. */
  creator_id: number | string | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  cards: unknown;
  cardUpdates: unknown;
  customProperties: unknown;
}

/** Arguments of `sprints.getSprintsList`. */
export interface SprintsGetSprintsListArguments {
  readonly query?: {
    readonly active?: boolean | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `sprints.getSprintsList`. */
export interface SprintsGetSprintsListEntry {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  title: unknown;
  goal: unknown;
  active: unknown;
  committed: unknown;
  children_committed: unknown;
  velocity: unknown;
  velocity_details: unknown;
  children_velocity: unknown;
  children_velocity_details: unknown;
  /** Inferred from its name. */
  creator_id: number | string | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from its name: a time. */
  start_date: string | null;
  /** Inferred from its name: a time. */
  finish_date: string | null;
  /** Inferred from its name: a time. */
  actual_finish_date: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
}

/** Answer of `sprints.getSprintsList`. */
export type SprintsGetSprintsListAnswer = SprintsGetSprintsListEntry[];

/** Operations of `client.sprints`. */
export interface SprintsOperations {
  /**
   * One sprint with its cards. The documents break off within the list of its fields.
   *
   * `GET /sprints/{id}`
   *
   * @param args `path`: `id`; `query`: `exclude_deleted_cards`
   */
  readonly getSprintSummary: Call<SprintsGetSprintSummaryArguments, SprintsGetSprintSummaryAnswer>;

  /**
   * The sprints of the company.
   *
   * `GET /sprints`
   *
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `active`, `limit`, `offset`
   */
  readonly getSprintsList: ListCall<SprintsGetSprintsListArguments, SprintsGetSprintsListAnswer>;
}
