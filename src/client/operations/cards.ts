// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ChosenOf, PositionedListCall } from '../client-types.ts';

/** Arguments of `cards.batchUpdateForCards`. */
export type CardsBatchUpdateForCardsArguments = ChosenOf<{
  readonly body?: {
    readonly board_id?: number | undefined;
    readonly column_id?: number | undefined;
    readonly lane_id?: number | undefined;
    readonly owner_id?: number | undefined;
    readonly type_id?: number | undefined;
    readonly condition?: 1 | 2 | undefined;
    readonly attributes?: unknown | undefined;
    readonly order_by?: unknown | undefined;
  } | undefined;
}, 'board_id' | 'column_id' | 'lane_id' | 'owner_id' | 'type_id' | 'condition'>;

/** Answer of `cards.batchUpdateForCards`. */
export interface CardsBatchUpdateForCardsAnswer {
  id: string;
}

/** Arguments of `cards.createNewCard`. */
export interface CardsCreateNewCardArguments {
  readonly body: {
    readonly title: number | string;
    readonly board_id: number;
    readonly asap?: boolean | undefined;
    readonly due_date?: string | null | undefined;
    readonly due_date_time_present?: boolean | undefined;
    readonly sort_order?: number | undefined;
    readonly description?: number | string | null | undefined;
    readonly expires_later?: boolean | undefined;
    readonly size_text?: number | string | null | undefined;
    readonly column_id?: number | undefined;
    readonly lane_id?: number | undefined;
    readonly owner_id?: number | undefined;
    readonly responsible_id?: number | undefined;
    readonly owner_email?: string | undefined;
    readonly position?: 1 | 2 | undefined;
    readonly type_id?: number | undefined;
    readonly service_id?: number | null | undefined;
    readonly external_id?: number | string | null | undefined;
    readonly text_format_type_id?: 1 | 2 | 3 | undefined;
    readonly properties?: object | undefined;
  };
}

/** Answer of `cards.createNewCard`. */
export interface CardsCreateNewCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.card_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from `body.description`. */
  description: number | string | null;
  /** Inferred from `body.asap`. */
  asap: boolean | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  fifo_order: unknown;
  state: unknown;
  /** Inferred from `body.condition`. */
  condition: number | null;
  /** Inferred from `body.expires_later`. */
  expires_later: boolean | null;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  blocking_card: unknown;
  /** Inferred from `body.blocked`. */
  blocked: boolean | null;
  size: unknown;
  size_unit: unknown;
  /** Inferred from `body.size_text`. */
  size_text: number | string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  /** Inferred from the parameters called `board_id`. */
  board_id: number;
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
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  properties: unknown;
  /** Inferred from `body.planned_start`. */
  planned_start: string | null;
  /** Inferred from `body.planned_end`. */
  planned_end: string | null;
  /** Inferred from `body.ignore_planned_dates_recalculation`. */
  ignore_planned_dates_recalculation: boolean | null;
  /** Inferred from its name: a time. */
  counters_recalculated_at: string | null;
  /** Inferred from `body.sd_new_comment`. */
  sd_new_comment: boolean | null;
  public: unknown;
  share_settings: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  external_user_emails: unknown;
  description_filled: unknown;
  /** Inferred from `body.estimate_workload`. */
  estimate_workload: number | null;
  owner: unknown;
  type: unknown;
  external_links: unknown;
  files: unknown;
  checklists: unknown;
}

/** Arguments of `cards.deleteCard`. */
export interface CardsDeleteCardArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Answer of `cards.deleteCard`. */
export interface CardsDeleteCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.card_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from `body.asap`. */
  asap: boolean | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  /** Inferred from `body.expires_later`. */
  expires_later: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.description`. */
  description: number | string | null;
  state: unknown;
  /** Inferred from `body.condition`. */
  condition: number | null;
  blocking_card: unknown;
  /** Inferred from `body.blocked`. */
  blocked: boolean | null;
  size: unknown;
  size_unit: unknown;
  /** Inferred from `body.size_text`. */
  size_text: number | string | null;
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
  /** Inferred from `body.planned_start`. */
  planned_start: string | null;
  /** Inferred from `body.planned_end`. */
  planned_end: string | null;
  /** Inferred from `body.ignore_planned_dates_recalculation`. */
  ignore_planned_dates_recalculation: boolean | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  properties: unknown;
  public: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  share_settings: unknown;
  external_user_emails: unknown;
  /** Inferred from the parameters called `tag_id`. */
  tag_ids: number[] | null;
  /** Inferred from `body.estimate_workload`. */
  estimate_workload: number | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  description_filled: unknown;
  has_blocked_children: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  fifo_order: unknown;
  /** Inferred from its name: a time. */
  counters_recalculated_at: string | null;
  /** Inferred from `body.sd_new_comment`. */
  sd_new_comment: boolean | null;
  /** Inferred from its name. */
  import_id: number | string | null;
  owner: unknown;
  members: unknown;
}

/** Arguments of `cards.retrieveCard`. */
export interface CardsRetrieveCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly query?: {
    readonly broken_api?: boolean | undefined;
  } | undefined;
}

/** Answer of `cards.retrieveCard`. */
export interface CardsRetrieveCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.card_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from `body.asap`. */
  asap: boolean | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  /** Inferred from `body.expires_later`. */
  expires_later: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.description`. */
  description: number | string | null;
  state: unknown;
  /** Inferred from `body.condition`. */
  condition: number | null;
  blocking_card: unknown;
  /** Inferred from `body.blocked`. */
  blocked: boolean | null;
  size: unknown;
  size_unit: unknown;
  /** Inferred from `body.size_text`. */
  size_text: number | string | null;
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
  /** Inferred from `body.planned_start`. */
  planned_start: string | null;
  /** Inferred from `body.planned_end`. */
  planned_end: string | null;
  /** Inferred from `body.ignore_planned_dates_recalculation`. */
  ignore_planned_dates_recalculation: boolean | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  properties: unknown;
  public: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  share_settings: unknown;
  external_user_emails: unknown;
  /** Inferred from the parameters called `tag_id`. */
  tag_ids: number[] | null;
  /** Inferred from `body.estimate_workload`. */
  estimate_workload: number | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  description_filled: unknown;
  has_blocked_children: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  fifo_order: unknown;
  /** Inferred from its name: a time. */
  counters_recalculated_at: string | null;
  /** Inferred from `body.sd_new_comment`. */
  sd_new_comment: boolean | null;
  /** Inferred from its name. */
  import_id: number | string | null;
  owner: unknown;
  members: unknown;
  /** Inferred from its name. */
  uid: string;
  board: unknown;
  lane: unknown;
  column: unknown;
  type: unknown;
  checklists: unknown;
  blockers: unknown;
  slas: unknown;
  /** Inferred from its name: a time. */
  blocked_at: string | null;
  /** Inferred from the parameters called `blocker_id`. */
  blocker_id: number | null;
  blocker: unknown;
  block_reason: unknown;
  children: unknown;
  parents: unknown;
  files: unknown;
  tags: unknown;
  external_links: unknown;
  cardRole: unknown;
  email: unknown;
}

/** Arguments of `cards.retrieveCardBaselines`. */
export interface CardsRetrieveCardBaselinesArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cards.retrieveCardBaselines`. */
export interface CardsRetrieveCardBaselinesEntry {
  /** Inferred from `path.card_id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  baseline_id: number | string | null;
  /** Inferred from `body.planned_start`. */
  planned_start: string | null;
  /** Inferred from `body.planned_end`. */
  planned_end: string | null;
}

/** Answer of `cards.retrieveCardBaselines`. */
export type CardsRetrieveCardBaselinesAnswer = CardsRetrieveCardBaselinesEntry[];

/** Arguments of `cards.retrieveCardList`. */
export interface CardsRetrieveCardListArguments {
  readonly query?: {
    readonly created_before?: string | undefined;
    readonly created_after?: string | undefined;
    readonly updated_before?: string | undefined;
    readonly updated_after?: string | undefined;
    readonly due_date_before?: string | undefined;
    readonly due_date_after?: string | undefined;
    readonly first_moved_in_progress_before?: string | undefined;
    readonly first_moved_in_progress_after?: string | undefined;
    readonly last_moved_to_done_at_before?: string | undefined;
    readonly last_moved_to_done_at_after?: string | undefined;
    readonly query?: string | undefined;
    readonly version?: number | undefined;
    readonly tag?: string | undefined;
    readonly tag_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly type_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly type_id?: number | undefined;
    readonly exclude_board_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly exclude_lane_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly exclude_column_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly exclude_owner_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly exclude_card_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly column_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly member_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly owner_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly owner_id?: number | undefined;
    readonly responsible_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly responsible_id?: number | undefined;
    readonly states?: string | number | readonly number[] | readonly string[] | undefined;
    readonly external_id?: string | number | undefined;
    readonly additional_card_fields?: string | readonly string[] | undefined;
    readonly search_fields?: string | readonly string[] | undefined;
    readonly space_id?: number | undefined;
    readonly board_id?: number | undefined;
    readonly column_id?: number | undefined;
    readonly lane_id?: number | undefined;
    readonly condition?: number | undefined;
    readonly archived?: boolean | undefined;
    readonly asap?: boolean | undefined;
    readonly overdue?: boolean | undefined;
    readonly done_on_time?: boolean | undefined;
    readonly with_due_date?: boolean | undefined;
    readonly is_request?: boolean | undefined;
    readonly filter?: string | object | undefined;
    readonly order_by?: string | undefined;
    readonly order_direction?: string | undefined;
    readonly order_space_id?: number | undefined;
    readonly organizations_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly start_position?: string | undefined;
    readonly include_search_preview?: boolean | undefined;
    readonly broken_api?: boolean | undefined;
  } | undefined;
}

/** Entry of the answer of `cards.retrieveCardList`. */
export type CardsRetrieveCardListEntry = Record<string, unknown>;

/** Answer of `cards.retrieveCardList`. */
export type CardsRetrieveCardListAnswer = CardsRetrieveCardListEntry[];

/** Arguments of `cards.retrieveCardLocationHistory`. */
export interface CardsRetrieveCardLocationHistoryArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cards.retrieveCardLocationHistory`. */
export interface CardsRetrieveCardLocationHistoryEntry {
  id: string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `board_id`. */
  board_id: number | null;
  /** Inferred from the parameters called `column_id`. */
  column_id: number | null;
  /** Inferred from its name. */
  subcolumn_id: number | string | null;
  /** Inferred from the parameters called `lane_id`. */
  lane_id: number | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  author: unknown;
  /** Inferred from `body.condition`. */
  condition: number | null;
  changed: unknown;
}

/** Answer of `cards.retrieveCardLocationHistory`. */
export type CardsRetrieveCardLocationHistoryAnswer = CardsRetrieveCardLocationHistoryEntry[];

/** Arguments of `cards.updateCard`. */
export interface CardsUpdateCardArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body?: {
    readonly title?: number | string | undefined;
    readonly asap?: boolean | undefined;
    readonly due_date?: string | null | undefined;
    readonly due_date_time_present?: boolean | undefined;
    readonly sort_order?: number | undefined;
    readonly description?: number | string | null | undefined;
    readonly expires_later?: boolean | undefined;
    readonly size_text?: number | string | null | undefined;
    readonly board_id?: number | undefined;
    readonly column_id?: number | undefined;
    readonly lane_id?: number | undefined;
    readonly owner_id?: number | undefined;
    readonly type_id?: number | undefined;
    readonly service_id?: number | null | undefined;
    readonly blocked?: boolean | undefined;
    readonly condition?: 1 | 2 | undefined;
    readonly external_id?: number | string | null | undefined;
    readonly text_format_type_id?: 1 | 2 | 3 | undefined;
    readonly sd_new_comment?: boolean | undefined;
    readonly owner_email?: string | undefined;
    readonly prev_card_id?: number | undefined;
    readonly estimate_workload?: number | undefined;
    readonly ignore_planned_dates_recalculation?: boolean | undefined;
    readonly properties?: object | undefined;
    readonly planned_start?: string | null | undefined;
    readonly planned_end?: string | null | undefined;
  } | undefined;
}

/** Answer of `cards.updateCard`. */
export interface CardsUpdateCardAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.card_id`. */
  id: number;
  /** Inferred from `body.title`. */
  title: number | string | null;
  /** Inferred from `body.asap`. */
  asap: boolean | null;
  /** Inferred from its name: a time. */
  due_date: string | null;
  /** Inferred from `body.due_date_time_present`. */
  due_date_time_present: boolean | null;
  /** Inferred from `body.expires_later`. */
  expires_later: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.description`. */
  description: number | string | null;
  state: unknown;
  /** Inferred from `body.condition`. */
  condition: number | null;
  blocking_card: unknown;
  /** Inferred from `body.blocked`. */
  blocked: boolean | null;
  size: unknown;
  size_unit: unknown;
  /** Inferred from `body.size_text`. */
  size_text: number | string | null;
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
  /** Inferred from `body.planned_start`. */
  planned_start: string | null;
  /** Inferred from `body.planned_end`. */
  planned_end: string | null;
  /** Inferred from `body.ignore_planned_dates_recalculation`. */
  ignore_planned_dates_recalculation: boolean | null;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  properties: unknown;
  public: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  share_settings: unknown;
  external_user_emails: unknown;
  /** Inferred from the parameters called `tag_id`. */
  tag_ids: number[] | null;
  /** Inferred from `body.estimate_workload`. */
  estimate_workload: number | null;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  goals_total: unknown;
  goals_done: unknown;
  time_spent_sum: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  description_filled: unknown;
  has_blocked_children: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  fifo_order: unknown;
  /** Inferred from its name: a time. */
  counters_recalculated_at: string | null;
  /** Inferred from `body.sd_new_comment`. */
  sd_new_comment: boolean | null;
  /** Inferred from its name. */
  import_id: number | string | null;
  owner: unknown;
  members: unknown;
}

/** Operations of `client.cards`. */
export interface CardsOperations {
  /**
   * Changes all matching cards, as a job of the service; `id` names the job. Unsafe to repeat: a
   * second job would start. Without any condition it would change every card of the company: that
   * takes `everything: true`.
   *
   * `PATCH /cards`
   *
   * Without a condition it needs `everything: true`.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `board_id`, `column_id`, `lane_id`, `owner_id`, `type_id`, `condition`,
   * `attributes`, `order_by`
   */
  readonly batchUpdateForCards: Call<CardsBatchUpdateForCardsArguments, CardsBatchUpdateForCardsAnswer>;

  /**
   * Creates a card.
   *
   * `POST /cards`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `title` (required), `board_id` (required), `asap`, `due_date`,
   * `due_date_time_present`, `sort_order`, `description`, `expires_later`, `size_text`,
   * `column_id`, `lane_id`, `owner_id`, `responsible_id`, `owner_email`, `position`, `type_id`,
   * `service_id`, `external_id`, `text_format_type_id`, `properties`
   */
  readonly createNewCard: Call<CardsCreateNewCardArguments, CardsCreateNewCardAnswer>;

  /**
   * Deletes a card.
   *
   * `DELETE /cards/{card_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `card_id`
   */
  readonly deleteCard: Call<CardsDeleteCardArguments, CardsDeleteCardAnswer | undefined>;

  /**
   * One card with its parts.
   *
   * `GET /cards/{card_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `card_id`; `query`: `broken_api`
   */
  readonly retrieveCard: Call<CardsRetrieveCardArguments, CardsRetrieveCardAnswer>;

  /**
   * The planned times of a card in its baselines, in one answer.
   *
   * `GET /cards/{card_id}/baselines`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardBaselines: Call<CardsRetrieveCardBaselinesArguments, CardsRetrieveCardBaselinesAnswer>;

  /**
   * Cards. `filter` is an object, or the base64 of its JSON. With `version: 2` the answer is `{
   * result, position }`, and `start_position` goes on from a position. The fields of a card here
   * are not known for sure.
   *
   * `GET /cards`
   *
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `created_before`, `created_after`, `updated_before`, `updated_after`,
   * `due_date_before`, `due_date_after`, `first_moved_in_progress_before`,
   * `first_moved_in_progress_after`, `last_moved_to_done_at_before`,
   * `last_moved_to_done_at_after`, `query`, `version`, `tag`, `tag_ids`, `type_ids`, `type_id`,
   * `exclude_board_ids`, `exclude_lane_ids`, `exclude_column_ids`, `exclude_owner_ids`,
   * `exclude_card_ids`, `column_ids`, `member_ids`, `owner_ids`, `owner_id`, `responsible_ids`,
   * `responsible_id`, `states`, `external_id`, `additional_card_fields`, `search_fields`,
   * `space_id`, `board_id`, `column_id`, `lane_id`, `condition`, `archived`, `asap`, `overdue`,
   * `done_on_time`, `with_due_date`, `is_request`, `filter`, `order_by`, `order_direction`,
   * `order_space_id`, `organizations_ids`, `limit`, `offset`, `start_position`,
   * `include_search_preview`, `broken_api`
   */
  readonly retrieveCardList: PositionedListCall<CardsRetrieveCardListArguments, CardsRetrieveCardListEntry>;

  /**
   * The former locations of a card, in one answer.
   *
   * `GET /cards/{card_id}/location-history`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardLocationHistory: Call<CardsRetrieveCardLocationHistoryArguments, CardsRetrieveCardLocationHistoryAnswer>;

  /**
   * Changes or moves a card. The documents show the end of its body and its answer, without its
   * name.
   *
   * `PATCH /cards/{card_id}`
   *
   * Known from the running service only, not from its documents.
   *
   * @param args `path`: `card_id`; `body`: `title`, `asap`, `due_date`, `due_date_time_present`,
   * `sort_order`, `description`, `expires_later`, `size_text`, `board_id`, `column_id`,
   * `lane_id`, `owner_id`, `type_id`, `service_id`, `blocked`, `condition`, `external_id`,
   * `text_format_type_id`, `sd_new_comment`, `owner_email`, `prev_card_id`, `estimate_workload`,
   * `ignore_planned_dates_recalculation`, `properties`, `planned_start`, `planned_end`
   */
  readonly updateCard: Call<CardsUpdateCardArguments, CardsUpdateCardAnswer>;
}
