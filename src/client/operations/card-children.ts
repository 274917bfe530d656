// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardChildren.addChildren`. */
export interface CardChildrenAddChildrenArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly card_id: number;
  };
}

/** Answer of `cardChildren.addChildren`. */
export interface CardChildrenAddChildrenAnswer {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  title: unknown;
  asap: unknown;
  /** Inferred from its name: a time. */
  due_date: string | null;
  sort_order: unknown;
  fifo_order: unknown;
  state: unknown;
  condition: unknown;
  expires_later: unknown;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  has_blocked_children: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  blocking_card: unknown;
  blocked: unknown;
  size: unknown;
  size_unit: unknown;
  size_text: unknown;
  due_date_time_present: unknown;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from the parameters called `lane_id`. */
  lane_id: number | null;
  /** Inferred from the parameters called `owner_id`. */
  owner_id: number | null;
  /** Inferred from the parameters called `type_id`. */
  type_id: number | null;
  version: unknown;
  /** Inferred from its name. */
  updater_id: number | string | null;
  completed_on_time: unknown;
  /** Inferred from its name: a time. */
  completed_at: string | null;
  /** Inferred from its name: a time. */
  last_moved_at: string | null;
  /** Inferred from its name: a time. */
  lane_changed_at: string | null;
  /** Inferred from its name: a time. */
  column_changed_at: string | null;
  /** Inferred from its name: a time. */
  first_moved_to_in_progress_at: string | null;
  /** Inferred from its name: a time. */
  last_moved_to_done_at: string | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  properties: unknown;
  planned_start: unknown;
  planned_end: unknown;
  ignore_planned_dates_recalculation: unknown;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  sd_new_comment: unknown;
  public: unknown;
  share_settings: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  external_user_emails: unknown;
  description_filled: unknown;
  estimate_workload: unknown;
  has_access_to_space: unknown;
  path_data: unknown;
  /** Inferred from the parameters called `space_id`. */
  space_id: number | null;
  type: unknown;
  owner: unknown;
}

/** Arguments of `cardChildren.removeChildren`. */
export interface CardChildrenRemoveChildrenArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardChildren.removeChildren`. */
export interface CardChildrenRemoveChildrenAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardChildren.retrieveCardChildrenList`. */
export interface CardChildrenRetrieveCardChildrenListArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardChildren.retrieveCardChildrenList`. */
export interface CardChildrenRetrieveCardChildrenListEntry {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  title: unknown;
  asap: unknown;
  /** Inferred from its name: a time. */
  due_date: string | null;
  sort_order: unknown;
  fifo_order: unknown;
  state: unknown;
  condition: unknown;
  expires_later: unknown;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  has_blocked_children: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  blocking_card: unknown;
  blocked: unknown;
  size: unknown;
  size_unit: unknown;
  size_text: unknown;
  due_date_time_present: unknown;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from the parameters called `lane_id`. */
  lane_id: number | null;
  /** Inferred from the parameters called `owner_id`. */
  owner_id: number | null;
  /** Inferred from the parameters called `type_id`. */
  type_id: number | null;
  version: unknown;
  /** Inferred from its name. */
  updater_id: number | string | null;
  completed_on_time: unknown;
  /** Inferred from its name: a time. */
  completed_at: string | null;
  /** Inferred from its name: a time. */
  last_moved_at: string | null;
  /** Inferred from its name: a time. */
  lane_changed_at: string | null;
  /** Inferred from its name: a time. */
  column_changed_at: string | null;
  /** Inferred from its name: a time. */
  first_moved_to_in_progress_at: string | null;
  /** Inferred from its name: a time. */
  last_moved_to_done_at: string | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  properties: unknown;
  planned_start: unknown;
  planned_end: unknown;
  ignore_planned_dates_recalculation: unknown;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  sd_new_comment: unknown;
  public: unknown;
  share_settings: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  external_user_emails: unknown;
  description_filled: unknown;
  estimate_workload: unknown;
  type: unknown;
  owner: unknown;
  board: unknown;
  lane: unknown;
  column: unknown;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from its name. */
  depends_on_card_id: number | string | null;
}

/** Answer of `cardChildren.retrieveCardChildrenList`. */
export type CardChildrenRetrieveCardChildrenListAnswer = CardChildrenRetrieveCardChildrenListEntry[];

/** Operations of `client.cardChildren`. */
export interface CardChildrenOperations {
  /**
   * Puts a card below another. `card_id` of the path is the parent, that of the body the child.
   *
   * `POST /cards/{card_id}/children`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `card_id` (required)
   */
  readonly addChildren: Call<CardChildrenAddChildrenArguments, CardChildrenAddChildrenAnswer>;

  /**
   * Takes a card from below another.
   *
   * `DELETE /cards/{card_id}/children/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly removeChildren: Call<CardChildrenRemoveChildrenArguments, CardChildrenRemoveChildrenAnswer | undefined>;

  /**
   * The cards below a card, in one answer.
   *
   * `GET /cards/{card_id}/children`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardChildrenList: Call<CardChildrenRetrieveCardChildrenListArguments, CardChildrenRetrieveCardChildrenListAnswer>;
}
