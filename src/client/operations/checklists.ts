// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `checklists.retrieveCardsWithChecklist`. */
export interface ChecklistsRetrieveCardsWithChecklistArguments {
  readonly path: {
    readonly id: number;
  };
  readonly query: {
    readonly only_shared_cards: boolean;
  };
}

/** Entry of the answer of `checklists.retrieveCardsWithChecklist`. */
export interface ChecklistsRetrieveCardsWithChecklistEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.id`. */
  id: number;
  title: unknown;
  asap: unknown;
  /** Inferred from its name: a time. */
  due_date: string | null;
  sort_order: unknown;
  description: unknown;
  state: unknown;
  expires_later: unknown;
  parents_count: unknown;
  children_count: unknown;
  children_done: unknown;
  goals_total: unknown;
  goals_done: unknown;
  /** Inferred from its name. */
  parent_checklist_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parent_link_ids: (number | string)[] | null;
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
  /** Inferred from its name. */
  project_id: number | string | null;
  /** Inferred from its name. */
  milestone_id: number | string | null;
  fifo_order: unknown;
  blocking_card: unknown;
  /** Inferred from its name. */
  sprint_id: number | string | null;
  condition: unknown;
  /** Inferred from its name: a time. */
  last_moved_at: string | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from its name: a time. */
  lane_changed_at: string | null;
  /** Inferred from its name: a time. */
  column_changed_at: string | null;
  /** Inferred from its name: a time. */
  first_moved_to_in_progress_at: string | null;
  /** Inferred from its name: a time. */
  last_moved_to_done_at: string | null;
  /** Inferred from the parameters called `service_id`. */
  service_id: number | null;
  has_blocked_children: unknown;
  comments_total: unknown;
  /** Inferred from its name: a time. */
  comment_last_added_at: string | null;
  /** Inferred from its name. */
  children_ids: (number | string)[] | null;
  /** Inferred from its name. */
  parents_ids: (number | string)[] | null;
  properties: unknown;
  planned_start: unknown;
  planned_end: unknown;
  ignore_planned_dates_recalculation: unknown;
  /** Inferred from its name: a time. */
  counters_recalculated_at: string | null;
  sd_new_comment: unknown;
  public: unknown;
  /** Inferred from its name. */
  share_id: number | string | null;
  share_settings: unknown;
  sd_external_recipients: unknown;
  external_user_emails: unknown;
  time_spent_sum: unknown;
  calculated_planned_start: unknown;
  calculated_planned_end: unknown;
  time_blocked_sum: unknown;
  children_number_properties_sum: unknown;
  description_filled: unknown;
  /** Inferred from its name. */
  import_id: number | string | null;
  /** Inferred from the parameters called `tag_id`. */
  tag_ids: number[] | null;
  has_access_to_space: unknown;
  path_data: unknown;
  /** Inferred from the parameters called `space_id`. */
  space_id: number | null;
}

/** Answer of `checklists.retrieveCardsWithChecklist`. */
export type ChecklistsRetrieveCardsWithChecklistAnswer = ChecklistsRetrieveCardsWithChecklistEntry[];

/** Operations of `client.checklists`. */
export interface ChecklistsOperations {
  /**
   * The cards that have a checklist.
   *
   * `GET /checklists/{id}`
   *
   * @param args `path`: `id`; `query`: `only_shared_cards` (required)
   */
  readonly retrieveCardsWithChecklist: Call<ChecklistsRetrieveCardsWithChecklistArguments, ChecklistsRetrieveCardsWithChecklistAnswer>;
}
