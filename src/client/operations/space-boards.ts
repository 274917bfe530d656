// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `spaceBoards.createNewBoard`. */
export interface SpaceBoardsCreateNewBoardArguments {
  readonly path: {
    readonly space_id: number;
  };
  readonly body: {
    readonly title: string | number;
    readonly columns?: readonly object[] | undefined;
    readonly lanes?: readonly object[] | undefined;
    readonly description?: string | null | undefined;
    readonly top?: number | undefined;
    readonly left?: number | undefined;
    readonly default_card_type_id?: number | undefined;
    readonly first_image_is_cover?: boolean | undefined;
    readonly reset_lane_spent_time?: boolean | undefined;
    readonly automove_cards?: boolean | undefined;
    readonly backward_moves_enabled?: boolean | undefined;
    readonly auto_assign_enabled?: boolean | undefined;
    readonly sort_order?: number | undefined;
    readonly external_id?: number | string | null | undefined;
  };
}

/** Answer of `spaceBoards.createNewBoard`. */
export interface SpaceBoardsCreateNewBoardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  cell_wip_limits: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.description`. */
  description: string | null;
  email_key: unknown;
  /** Inferred from `body.move_parents_to_done`. */
  move_parents_to_done: boolean | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.first_image_is_cover`. */
  first_image_is_cover: boolean | null;
  /** Inferred from `body.reset_lane_spent_time`. */
  reset_lane_spent_time: boolean | null;
  /** Inferred from `body.backward_moves_enabled`. */
  backward_moves_enabled: boolean | null;
  /** Inferred from `body.hide_done_policies`. */
  hide_done_policies: boolean | null;
  /** Inferred from `body.hide_done_policies_in_done_column`. */
  hide_done_policies_in_done_column: boolean | null;
  /** Inferred from `body.automove_cards`. */
  automove_cards: boolean | null;
  /** Inferred from `body.auto_assign_enabled`. */
  auto_assign_enabled: boolean | null;
  card_properties: unknown;
  columns: unknown;
  lanes: unknown;
  /** Inferred from `body.top`. */
  top: number | null;
  /** Inferred from `body.left`. */
  left: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
}

/** Arguments of `spaceBoards.getBoard`. */
export interface SpaceBoardsGetBoardArguments {
  readonly path: {
    readonly space_id: number;
    readonly id: number;
  };
}

/** Answer of `spaceBoards.getBoard`. */
export interface SpaceBoardsGetBoardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  cell_wip_limits: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.description`. */
  description: string | null;
  email_key: unknown;
  /** Inferred from `body.move_parents_to_done`. */
  move_parents_to_done: boolean | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.first_image_is_cover`. */
  first_image_is_cover: boolean | null;
  /** Inferred from `body.reset_lane_spent_time`. */
  reset_lane_spent_time: boolean | null;
  /** Inferred from `body.backward_moves_enabled`. */
  backward_moves_enabled: boolean | null;
  /** Inferred from `body.hide_done_policies`. */
  hide_done_policies: boolean | null;
  /** Inferred from `body.hide_done_policies_in_done_column`. */
  hide_done_policies_in_done_column: boolean | null;
  /** Inferred from `body.automove_cards`. */
  automove_cards: boolean | null;
  /** Inferred from `body.auto_assign_enabled`. */
  auto_assign_enabled: boolean | null;
  card_properties: unknown;
  columns: unknown;
  lanes: unknown;
  cards: unknown;
  /** Inferred from the parameters called `space_id`. */
  space_id: number;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from `body.top`. */
  top: number | null;
  /** Inferred from `body.left`. */
  left: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
}

/** Arguments of `spaceBoards.getListOfBoards`. */
export interface SpaceBoardsGetListOfBoardsArguments {
  readonly path: {
    readonly space_id: number;
  };
}

/** Entry of the answer of `spaceBoards.getListOfBoards`. */
export interface SpaceBoardsGetListOfBoardsEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  cell_wip_limits: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.description`. */
  description: string | null;
  email_key: unknown;
  /** Inferred from `body.move_parents_to_done`. */
  move_parents_to_done: boolean | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.first_image_is_cover`. */
  first_image_is_cover: boolean | null;
  /** Inferred from `body.reset_lane_spent_time`. */
  reset_lane_spent_time: boolean | null;
  /** Inferred from `body.backward_moves_enabled`. */
  backward_moves_enabled: boolean | null;
  /** Inferred from `body.hide_done_policies`. */
  hide_done_policies: boolean | null;
  /** Inferred from `body.hide_done_policies_in_done_column`. */
  hide_done_policies_in_done_column: boolean | null;
  /** Inferred from `body.automove_cards`. */
  automove_cards: boolean | null;
  /** Inferred from `body.auto_assign_enabled`. */
  auto_assign_enabled: boolean | null;
  card_properties: unknown;
  columns: unknown;
  lanes: unknown;
  /** Inferred from the parameters called `space_id`. */
  space_id: number;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from `body.top`. */
  top: number | null;
  /** Inferred from `body.left`. */
  left: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.type`. */
  type: number | null;
}

/** Answer of `spaceBoards.getListOfBoards`. */
export type SpaceBoardsGetListOfBoardsAnswer = SpaceBoardsGetListOfBoardsEntry[];

/** Arguments of `spaceBoards.removeBoard`. */
export interface SpaceBoardsRemoveBoardArguments {
  readonly path: {
    readonly space_id: number;
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

/** Answer of `spaceBoards.removeBoard`. */
export interface SpaceBoardsRemoveBoardAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `spaceBoards.updateBoard`. */
export interface SpaceBoardsUpdateBoardArguments {
  readonly path: {
    readonly space_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly title?: string | number | undefined;
    readonly description?: string | null | undefined;
    readonly top?: number | undefined;
    readonly left?: number | undefined;
    readonly type?: 1 | 5 | undefined;
    readonly cell_wip_limits?: readonly unknown[] | undefined;
    readonly default_card_type_id?: number | undefined;
    readonly default_tags?: string | null | undefined;
    readonly first_image_is_cover?: boolean | undefined;
    readonly reset_lane_spent_time?: boolean | undefined;
    readonly automove_cards?: boolean | undefined;
    readonly backward_moves_enabled?: boolean | undefined;
    readonly move_parents_to_done?: boolean | undefined;
    readonly hide_done_policies?: boolean | undefined;
    readonly hide_done_policies_in_done_column?: boolean | undefined;
    readonly sort_order?: number | undefined;
    readonly external_id?: number | string | null | undefined;
    readonly move_from_space_id?: number | undefined;
    readonly auto_assign_enabled?: boolean | undefined;
    readonly card_properties?: readonly object[] | null | undefined;
  } | undefined;
}

/** Answer of `spaceBoards.updateBoard`. */
export interface SpaceBoardsUpdateBoardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  cell_wip_limits: unknown;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `default_card_type_id`. */
  default_card_type_id: number | null;
  /** Inferred from `body.description`. */
  description: string | null;
  email_key: unknown;
  /** Inferred from `body.move_parents_to_done`. */
  move_parents_to_done: boolean | null;
  /** Inferred from `body.default_tags`. */
  default_tags: string | null;
  /** Inferred from `body.first_image_is_cover`. */
  first_image_is_cover: boolean | null;
  /** Inferred from `body.reset_lane_spent_time`. */
  reset_lane_spent_time: boolean | null;
  /** Inferred from `body.backward_moves_enabled`. */
  backward_moves_enabled: boolean | null;
  /** Inferred from `body.hide_done_policies`. */
  hide_done_policies: boolean | null;
  /** Inferred from `body.hide_done_policies_in_done_column`. */
  hide_done_policies_in_done_column: boolean | null;
  /** Inferred from `body.automove_cards`. */
  automove_cards: boolean | null;
  /** Inferred from `body.auto_assign_enabled`. */
  auto_assign_enabled: boolean | null;
  card_properties: unknown;
  columns: unknown;
  lanes: unknown;
  /** Inferred from `body.top`. */
  top: number | null;
  /** Inferred from `body.left`. */
  left: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
}

/** Operations of `client.spaceBoards`. */
export interface SpaceBoardsOperations {
  /**
   * Creates a board, with its columns and lanes where they are given.
   *
   * `POST /spaces/{space_id}/boards`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_id`; `body`: `title` (required), `columns`, `lanes`,
   * `description`, `top`, `left`, `default_card_type_id`, `first_image_is_cover`,
   * `reset_lane_spent_time`, `automove_cards`, `backward_moves_enabled`, `auto_assign_enabled`,
   * `sort_order`, `external_id`
   */
  readonly createNewBoard: Call<SpaceBoardsCreateNewBoardArguments, SpaceBoardsCreateNewBoardAnswer>;

  /**
   * One board with its columns, lanes and cards, and its place in the space.
   *
   * `GET /spaces/{space_id}/boards/{id}`
   *
   * @param args `path`: `space_id`, `id`
   */
  readonly getBoard: Call<SpaceBoardsGetBoardArguments, SpaceBoardsGetBoardAnswer>;

  /**
   * The boards of a space, in one answer.
   *
   * `GET /spaces/{space_id}/boards`
   *
   * @param args `path`: `space_id`
   */
  readonly getListOfBoards: Call<SpaceBoardsGetListOfBoardsArguments, SpaceBoardsGetListOfBoardsAnswer>;

  /**
   * Deletes a board; one that holds something only with `force`, which some installations take
   * from the query.
   *
   * `DELETE /spaces/{space_id}/boards/{id}`
   *
   * @param args `path`: `space_id`, `id`; `query`: `force`; `body`: `force`
   */
  readonly removeBoard: Call<SpaceBoardsRemoveBoardArguments, SpaceBoardsRemoveBoardAnswer | undefined>;

  /**
   * Changes a board, or takes it over from another space.
   *
   * `PATCH /spaces/{space_id}/boards/{id}`
   *
   * @param args `path`: `space_id`, `id`; `body`: `title`, `description`, `top`, `left`, `type`,
   * `cell_wip_limits`, `default_card_type_id`, `default_tags`, `first_image_is_cover`,
   * `reset_lane_spent_time`, `automove_cards`, `backward_moves_enabled`, `move_parents_to_done`,
   * `hide_done_policies`, `hide_done_policies_in_done_column`, `sort_order`, `external_id`,
   * `move_from_space_id`, `auto_assign_enabled`, `card_properties`
   */
  readonly updateBoard: Call<SpaceBoardsUpdateBoardArguments, SpaceBoardsUpdateBoardAnswer>;
}
