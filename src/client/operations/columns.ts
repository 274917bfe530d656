// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `columns.createNewColumn`. */
export interface ColumnsCreateNewColumnArguments {
  readonly path: {
    readonly board_id: number;
  };
  readonly body: {
    readonly title: string;
    readonly external_id?: number | string | null | undefined;
    readonly sort_order?: number | undefined;
    readonly type?: 1 | 2 | 3 | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly wip_limit?: number | undefined;
    readonly wip_limit_type?: 1 | 2 | undefined;
    readonly col_count?: number | undefined;
    readonly archive_after_days?: number | undefined;
    readonly months_to_hide_cards?: number | null | undefined;
    readonly card_hide_after_days?: number | null | undefined;
    readonly rules?: number | undefined;
  };
}

/** Answer of `columns.createNewColumn`. */
export interface ColumnsCreateNewColumnAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.col_count`. */
  col_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
  /** Inferred from `body.rules`. */
  rules: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from `body.months_to_hide_cards`. */
  months_to_hide_cards: number | null;
  /** Inferred from `body.card_hide_after_days`. */
  card_hide_after_days: number | null;
}

/** Arguments of `columns.getListOfColumns`. */
export interface ColumnsGetListOfColumnsArguments {
  readonly path: {
    readonly board_id: number;
  };
}

/** Entry of the answer of `columns.getListOfColumns`. */
export interface ColumnsGetListOfColumnsEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.col_count`. */
  col_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
  /** Inferred from `body.rules`. */
  rules: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from `body.months_to_hide_cards`. */
  months_to_hide_cards: number | null;
  /** Inferred from `body.card_hide_after_days`. */
  card_hide_after_days: number | null;
  /** Inferred from `body.pause_sla`. */
  pause_sla: boolean | null;
  subcolumns: unknown;
}

/** Answer of `columns.getListOfColumns`. */
export type ColumnsGetListOfColumnsAnswer = ColumnsGetListOfColumnsEntry[];

/** Arguments of `columns.removeColumn`. */
export interface ColumnsRemoveColumnArguments {
  readonly path: {
    readonly board_id: number;
    readonly id: number;
  };
  readonly query?: {
    /** Not in the documents of the service. */
    readonly force?: boolean | undefined;
  } | undefined;
  readonly body?: {
    readonly force?: boolean | undefined;
  } | undefined;
}

/** Answer of `columns.removeColumn`. */
export interface ColumnsRemoveColumnAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `columns.updateColumn`. */
export interface ColumnsUpdateColumnArguments {
  readonly path: {
    readonly board_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly external_id?: number | string | null | undefined;
    readonly title?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly type?: 1 | 2 | 3 | undefined;
    readonly wip_limit?: number | null | undefined;
    readonly wip_limit_type?: 1 | 2 | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly col_count?: number | undefined;
    readonly archive_after_days?: number | undefined;
    readonly months_to_hide_cards?: number | null | undefined;
    readonly card_hide_after_days?: number | null | undefined;
    readonly rules?: number | undefined;
    readonly default_tags?: string | null | undefined;
    readonly prev_column_id?: number | null | undefined;
    readonly next_column_id?: number | null | undefined;
    readonly pause_sla?: boolean | undefined;
  } | undefined;
}

/** Answer of `columns.updateColumn`. */
export interface ColumnsUpdateColumnAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.col_count`. */
  col_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
  /** Inferred from `body.rules`. */
  rules: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from `body.months_to_hide_cards`. */
  months_to_hide_cards: number | null;
  /** Inferred from `body.card_hide_after_days`. */
  card_hide_after_days: number | null;
}

/** Operations of `client.columns`. */
export interface ColumnsOperations {
  /**
   * Creates a column.
   *
   * `POST /boards/{board_id}/columns`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `board_id`; `body`: `title` (required), `external_id`, `sort_order`,
   * `type`, `last_moved_warning_after_days`, `last_moved_warning_after_hours`,
   * `last_moved_warning_after_minutes`, `wip_limit`, `wip_limit_type`, `col_count`,
   * `archive_after_days`, `months_to_hide_cards`, `card_hide_after_days`, `rules`
   */
  readonly createNewColumn: Call<ColumnsCreateNewColumnArguments, ColumnsCreateNewColumnAnswer>;

  /**
   * The columns of a board, in one answer.
   *
   * `GET /boards/{board_id}/columns`
   *
   * @param args `path`: `board_id`
   */
  readonly getListOfColumns: Call<ColumnsGetListOfColumnsArguments, ColumnsGetListOfColumnsAnswer>;

  /**
   * Deletes a column; one that holds something only with `force`, which some installations take
   * from the query.
   *
   * `DELETE /boards/{board_id}/columns/{id}`
   *
   * @param args `path`: `board_id`, `id`; `query`: `force`; `body`: `force`
   */
  readonly removeColumn: Call<ColumnsRemoveColumnArguments, ColumnsRemoveColumnAnswer | undefined>;

  /**
   * Changes a column or puts it between two others.
   *
   * `PATCH /boards/{board_id}/columns/{id}`
   *
   * @param args `path`: `board_id`, `id`; `body`: `external_id`, `title`, `sort_order`, `type`,
   * `wip_limit`, `wip_limit_type`, `last_moved_warning_after_days`,
   * `last_moved_warning_after_hours`, `last_moved_warning_after_minutes`, `col_count`,
   * `archive_after_days`, `months_to_hide_cards`, `card_hide_after_days`, `rules`,
   * `default_tags`, `prev_column_id`, `next_column_id`, `pause_sla`
   */
  readonly updateColumn: Call<ColumnsUpdateColumnArguments, ColumnsUpdateColumnAnswer>;
}
