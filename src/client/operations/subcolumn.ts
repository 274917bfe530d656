// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `subcolumn.createNewSubcolumn`. */
export interface SubcolumnCreateNewSubcolumnArguments {
  readonly path: {
    readonly column_id: number;
  };
  readonly body: {
    readonly title: string;
    readonly external_id?: number | string | null | undefined;
    readonly sort_order?: number | undefined;
    readonly type?: number | undefined;
    readonly archive_after_days?: number | undefined;
    readonly months_to_hide_cards?: number | null | undefined;
    readonly card_hide_after_days?: number | null | undefined;
    readonly col_count?: number | undefined;
    readonly rules?: number | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly wip_limit?: number | undefined;
  };
}

/** Answer of `subcolumn.createNewSubcolumn`. */
export interface SubcolumnCreateNewSubcolumnAnswer {
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
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  wip_limit_type: unknown;
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

/** Arguments of `subcolumn.getListOfSubcolumns`. */
export interface SubcolumnGetListOfSubcolumnsArguments {
  readonly path: {
    readonly column_id: number;
  };
}

/** Entry of the answer of `subcolumn.getListOfSubcolumns`. */
export interface SubcolumnGetListOfSubcolumnsEntry {
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
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  wip_limit_type: unknown;
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

/** Answer of `subcolumn.getListOfSubcolumns`. */
export type SubcolumnGetListOfSubcolumnsAnswer = SubcolumnGetListOfSubcolumnsEntry[];

/** Arguments of `subcolumn.removeSubcolumn`. */
export interface SubcolumnRemoveSubcolumnArguments {
  readonly path: {
    readonly column_id: number;
    readonly id: number;
  };
  readonly query?: {
    readonly force?: boolean | undefined;
  } | undefined;
  readonly body?: {
    readonly force?: boolean | undefined;
  } | undefined;
}

/** Answer of `subcolumn.removeSubcolumn`. */
export interface SubcolumnRemoveSubcolumnAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `subcolumn.updateSubcolumn`. */
export interface SubcolumnUpdateSubcolumnArguments {
  readonly path: {
    readonly column_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly title?: string | undefined;
    readonly external_id?: number | string | null | undefined;
    readonly sort_order?: number | undefined;
    readonly type?: number | undefined;
    readonly archive_after_days?: number | undefined;
    readonly months_to_hide_cards?: number | null | undefined;
    readonly card_hide_after_days?: number | null | undefined;
    readonly col_count?: number | undefined;
    readonly rules?: number | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly default_tags?: string | null | undefined;
    readonly prev_column_id?: number | null | undefined;
    readonly next_column_id?: number | null | undefined;
    readonly pause_sla?: boolean | undefined;
  } | undefined;
}

/** Answer of `subcolumn.updateSubcolumn`. */
export interface SubcolumnUpdateSubcolumnAnswer {
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
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number;
  /** Inferred from `body.archive_after_days`. */
  archive_after_days: number | null;
  wip_limit_type: unknown;
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

/** Operations of `client.subcolumn`. */
export interface SubcolumnOperations {
  /**
   * Creates a subcolumn.
   *
   * `POST /columns/{column_id}/subcolumns`
   *
   * Known from the running service only, not from its documents.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `column_id`; `body`: `title` (required), `external_id`, `sort_order`,
   * `type`, `archive_after_days`, `months_to_hide_cards`, `card_hide_after_days`, `col_count`,
   * `rules`, `last_moved_warning_after_days`, `last_moved_warning_after_hours`,
   * `last_moved_warning_after_minutes`, `wip_limit`
   */
  readonly createNewSubcolumn: Call<SubcolumnCreateNewSubcolumnArguments, SubcolumnCreateNewSubcolumnAnswer>;

  /**
   * The subcolumns of a column, in one answer.
   *
   * `GET /columns/{column_id}/subcolumns`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `column_id`
   */
  readonly getListOfSubcolumns: Call<SubcolumnGetListOfSubcolumnsArguments, SubcolumnGetListOfSubcolumnsAnswer>;

  /**
   * Deletes a subcolumn; one that holds something only with `force`, which some installations
   * take from the query.
   *
   * `DELETE /columns/{column_id}/subcolumns/{id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `column_id`, `id`; `query`: `force`; `body`: `force`
   */
  readonly removeSubcolumn: Call<SubcolumnRemoveSubcolumnArguments, SubcolumnRemoveSubcolumnAnswer | undefined>;

  /**
   * Changes a subcolumn or puts it between two others.
   *
   * `PATCH /columns/{column_id}/subcolumns/{id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `column_id`, `id`; `body`: `title`, `external_id`, `sort_order`, `type`,
   * `archive_after_days`, `months_to_hide_cards`, `card_hide_after_days`, `col_count`, `rules`,
   * `last_moved_warning_after_days`, `last_moved_warning_after_hours`,
   * `last_moved_warning_after_minutes`, `default_tags`, `prev_column_id`, `next_column_id`,
   * `pause_sla`
   */
  readonly updateSubcolumn: Call<SubcolumnUpdateSubcolumnArguments, SubcolumnUpdateSubcolumnAnswer>;
}
