// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `lanes.createNewLane`. */
export interface LanesCreateNewLaneArguments {
  readonly path: {
    readonly board_id: number;
  };
  readonly body: {
    readonly title: string;
    readonly sort_order?: number | undefined;
    readonly wip_limit?: number | undefined;
    readonly wip_limit_type?: 1 | 2 | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly row_count?: number | undefined;
  };
}

/** Answer of `lanes.createNewLane`. */
export interface LanesCreateNewLaneAnswer {
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
  /** Inferred from `body.row_count`. */
  row_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: number | null;
}

/** Arguments of `lanes.getListOfLanes`. */
export interface LanesGetListOfLanesArguments {
  readonly path: {
    readonly board_id: number;
  };
  readonly query?: {
    readonly condition?: string | number | undefined;
  } | undefined;
}

/** Entry of the answer of `lanes.getListOfLanes`. */
export interface LanesGetListOfLanesEntry {
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
  /** Inferred from `body.row_count`. */
  row_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: number | null;
}

/** Answer of `lanes.getListOfLanes`. */
export type LanesGetListOfLanesAnswer = LanesGetListOfLanesEntry[];

/** Arguments of `lanes.removeLane`. */
export interface LanesRemoveLaneArguments {
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

/** Answer of `lanes.removeLane`. */
export interface LanesRemoveLaneAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `lanes.updateLane`. */
export interface LanesUpdateLaneArguments {
  readonly path: {
    readonly board_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly title?: string | undefined;
    readonly sort_order?: number | undefined;
    readonly wip_limit?: number | null | undefined;
    readonly wip_limit_type?: 1 | 2 | undefined;
    readonly last_moved_warning_after_days?: number | undefined;
    readonly last_moved_warning_after_hours?: number | undefined;
    readonly last_moved_warning_after_minutes?: number | undefined;
    readonly row_count?: number | undefined;
    readonly default_tags?: string | null | undefined;
    readonly default_card_type_id?: number | null | undefined;
    readonly condition?: 1 | 2 | undefined;
  } | undefined;
}

/** Answer of `lanes.updateLane`. */
export interface LanesUpdateLaneAnswer {
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
  /** Inferred from `body.row_count`. */
  row_count: number | null;
  /** Inferred from `body.wip_limit`. */
  wip_limit: number | null;
  /** Inferred from `body.wip_limit_type`. */
  wip_limit_type: number | null;
  /** Inferred from `body.last_moved_warning_after_minutes`. */
  last_moved_warning_after_minutes: number | null;
  /** Inferred from `body.last_moved_warning_after_days`. */
  last_moved_warning_after_days: number | null;
  /** Inferred from `body.last_moved_warning_after_hours`. */
  last_moved_warning_after_hours: number | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: number | null;
}

/** Operations of `client.lanes`. */
export interface LanesOperations {
  /**
   * Creates a lane.
   *
   * `POST /boards/{board_id}/lanes`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `board_id`; `body`: `title` (required), `sort_order`, `wip_limit`,
   * `wip_limit_type`, `last_moved_warning_after_days`, `last_moved_warning_after_hours`,
   * `last_moved_warning_after_minutes`, `row_count`
   */
  readonly createNewLane: Call<LanesCreateNewLaneArguments, LanesCreateNewLaneAnswer>;

  /**
   * The lanes of a board, in one answer. The values of `condition` are not documented; 1, 2 and 3
   * are in use.
   *
   * `GET /boards/{board_id}/lanes`
   *
   * @param args `path`: `board_id`; `query`: `condition`
   */
  readonly getListOfLanes: Call<LanesGetListOfLanesArguments, LanesGetListOfLanesAnswer>;

  /**
   * Deletes a lane; one that holds something only with `force`, which some installations take
   * from the query.
   *
   * `DELETE /boards/{board_id}/lanes/{id}`
   *
   * @param args `path`: `board_id`, `id`; `query`: `force`; `body`: `force`
   */
  readonly removeLane: Call<LanesRemoveLaneArguments, LanesRemoveLaneAnswer | undefined>;

  /**
   * Changes a lane.
   *
   * `PATCH /boards/{board_id}/lanes/{id}`
   *
   * @param args `path`: `board_id`, `id`; `body`: `title`, `sort_order`, `wip_limit`,
   * `wip_limit_type`, `last_moved_warning_after_days`, `last_moved_warning_after_hours`,
   * `last_moved_warning_after_minutes`, `row_count`, `default_tags`, `default_card_type_id`,
   * `condition`
   */
  readonly updateLane: Call<LanesUpdateLaneArguments, LanesUpdateLaneAnswer>;
}
