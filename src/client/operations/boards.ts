// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `boards.getBoard`. */
export interface BoardsGetBoardArguments {
  readonly path: {
    readonly id: number;
  };
}

/** Answer of `boards.getBoard`. */
export interface BoardsGetBoardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  title: unknown;
  cell_wip_limits: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  description: unknown;
  email_key: unknown;
  move_parents_to_done: unknown;
  default_tags: unknown;
  first_image_is_cover: unknown;
  reset_lane_spent_time: unknown;
  backward_moves_enabled: unknown;
  hide_done_policies: unknown;
  hide_done_policies_in_done_column: unknown;
  automove_cards: unknown;
  auto_assign_enabled: unknown;
  card_properties: unknown;
  columns: unknown;
  lanes: unknown;
  cards: unknown;
}

/** Operations of `client.boards`. */
export interface BoardsOperations {
  /**
   * One board with its columns, lanes and cards.
   *
   * `GET /boards/{id}`
   *
   * @param args `path`: `id`
   */
  readonly getBoard: Call<BoardsGetBoardArguments, BoardsGetBoardAnswer>;
}
