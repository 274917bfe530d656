// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardTimeLogs.addTimeLog`. */
export interface CardTimeLogsAddTimeLogArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly role_id: number;
    readonly time_spent: number;
    readonly for_date: string;
    readonly comment?: string | undefined;
  };
}

/** Answer of `cardTimeLogs.addTimeLog`. */
export interface CardTimeLogsAddTimeLogAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from the parameters called `role_id`. */
  role_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.time_spent`. */
  time_spent: number | null;
  /** Inferred from its name: a time. */
  for_date: string | null;
  /** Inferred from `body.comment`. */
  comment: string | null;
}

/** Arguments of `cardTimeLogs.getTimeLogs`. */
export interface CardTimeLogsGetTimeLogsArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly query?: {
    readonly for_date?: string | undefined;
    readonly personal?: boolean | undefined;
  } | undefined;
}

/** Entry of the answer of `cardTimeLogs.getTimeLogs`. */
export interface CardTimeLogsGetTimeLogsEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from the parameters called `role_id`. */
  role_id: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.time_spent`. */
  time_spent: number | null;
  /** Inferred from its name: a time. */
  for_date: string | null;
  /** Inferred from `body.comment`. */
  comment: string | null;
  role: unknown;
  user: unknown;
  author: unknown;
}

/** Answer of `cardTimeLogs.getTimeLogs`. */
export type CardTimeLogsGetTimeLogsAnswer = CardTimeLogsGetTimeLogsEntry[];

/** Arguments of `cardTimeLogs.removeTimeLog`. */
export interface CardTimeLogsRemoveTimeLogArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
}

/** Answer of `cardTimeLogs.removeTimeLog`. */
export interface CardTimeLogsRemoveTimeLogAnswer {
  /** Inferred from `path.id`. */
  id: number;
}

/** Arguments of `cardTimeLogs.updateLogRecord`. */
export interface CardTimeLogsUpdateLogRecordArguments {
  readonly path: {
    readonly card_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly role_id?: number | undefined;
    readonly time_spent?: number | undefined;
    readonly for_date?: string | undefined;
    readonly comment?: string | undefined;
  } | undefined;
}

/** Answer of `cardTimeLogs.updateLogRecord`. */
export interface CardTimeLogsUpdateLogRecordAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from the parameters called `role_id`. */
  role_id: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.time_spent`. */
  time_spent: number | null;
  /** Inferred from its name: a time. */
  for_date: string | null;
  /** Inferred from `body.comment`. */
  comment: string | null;
}

/** Operations of `client.cardTimeLogs`. */
export interface CardTimeLogsOperations {
  /**
   * Logs time.
   *
   * `POST /cards/{card_id}/time-logs`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `role_id` (required), `time_spent` (required),
   * `for_date` (required), `comment`
   */
  readonly addTimeLog: Call<CardTimeLogsAddTimeLogArguments, CardTimeLogsAddTimeLogAnswer>;

  /**
   * The time logged on a card, in one answer.
   *
   * `GET /cards/{card_id}/time-logs`
   *
   * @param args `path`: `card_id`; `query`: `for_date`, `personal`
   */
  readonly getTimeLogs: Call<CardTimeLogsGetTimeLogsArguments, CardTimeLogsGetTimeLogsAnswer>;

  /**
   * Removes a time log.
   *
   * `DELETE /cards/{card_id}/time-logs/{id}`
   *
   * @param args `path`: `card_id`, `id`
   */
  readonly removeTimeLog: Call<CardTimeLogsRemoveTimeLogArguments, CardTimeLogsRemoveTimeLogAnswer | undefined>;

  /**
   * Changes a time log.
   *
   * `PATCH /cards/{card_id}/time-logs/{id}`
   *
   * @param args `path`: `card_id`, `id`; `body`: `role_id`, `time_spent`, `for_date`, `comment`
   */
  readonly updateLogRecord: Call<CardTimeLogsUpdateLogRecordArguments, CardTimeLogsUpdateLogRecordAnswer>;
}
