// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { ListCall } from '../client-types.ts';

/** Arguments of `timesheet.getList`. */
export interface TimesheetGetListArguments {
  readonly query: {
    readonly from: string;
    readonly to: string;
    readonly tag_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly user_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly group_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly space_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly board_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly column_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly card_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly visible_column_ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly condition?: number | undefined;
    readonly group_by?: number | undefined;
    readonly time_precision?: string | number | undefined;
    readonly time_unit?: string | undefined;
    readonly with_daily_distribution?: boolean | undefined;
    readonly only_general_sum?: boolean | undefined;
  };
}

/** Entry of the answer of `timesheet.getList`. */
export interface TimesheetGetListEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from the parameters called `card_id`. */
  card_id: number | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from the parameters called `role_id`. */
  role_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  time_spent: unknown;
  /** Inferred from its name: a time. */
  for_date: string | null;
  comment: unknown;
  card: unknown;
  user: unknown;
  role: unknown;
}

/** Answer of `timesheet.getList`. */
export type TimesheetGetListAnswer = TimesheetGetListEntry[];

/** Operations of `client.timesheet`. */
export interface TimesheetOperations {
  /**
   * The time logged between two days, both included.
   *
   * `GET /time-logs`
   *
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `from` (required), `to` (required), `tag_ids`, `user_ids`, `group_ids`,
   * `space_ids`, `board_ids`, `column_ids`, `card_ids`, `visible_column_ids`, `limit`, `offset`,
   * `condition`, `group_by`, `time_precision`, `time_unit`, `with_daily_distribution`,
   * `only_general_sum`
   */
  readonly getList: ListCall<TimesheetGetListArguments, TimesheetGetListAnswer>;
}
