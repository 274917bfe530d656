// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `customDirectoryRecords.createRecord`. */
export interface CustomDirectoryRecordsCreateRecordArguments {
  readonly path: {
    readonly directory_id: string;
  };
  readonly query?: {
    readonly response_profile?: string | undefined;
  } | undefined;
  readonly body: {
    readonly values: object;
  };
}

/** Answer of `customDirectoryRecords.createRecord`. */
export interface CustomDirectoryRecordsCreateRecordAnswer {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  display_value: unknown;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  updater: unknown;
  values: unknown;
}

/** Arguments of `customDirectoryRecords.deleteRecord`. */
export interface CustomDirectoryRecordsDeleteRecordArguments {
  readonly path: {
    readonly directory_id: string;
    readonly record_id: string;
  };
}

/** Answer of `customDirectoryRecords.deleteRecord`. */
export interface CustomDirectoryRecordsDeleteRecordAnswer {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `customDirectoryRecords.getCardsLinkedToRecord`. */
export interface CustomDirectoryRecordsGetCardsLinkedToRecordArguments {
  readonly path: {
    readonly directory_id: string;
    readonly record_id: string;
  };
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly filter?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `customDirectoryRecords.getCardsLinkedToRecord`. */
export interface CustomDirectoryRecordsGetCardsLinkedToRecordEntry {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  uid: string;
  title: unknown;
}

/** Answer of `customDirectoryRecords.getCardsLinkedToRecord`. */
export type CustomDirectoryRecordsGetCardsLinkedToRecordAnswer = CustomDirectoryRecordsGetCardsLinkedToRecordEntry[];

/** Arguments of `customDirectoryRecords.getListOfRecords`. */
export interface CustomDirectoryRecordsGetListOfRecordsArguments {
  readonly path: {
    readonly directory_id: string;
  };
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly query?: string | undefined;
    readonly profile?: string | undefined;
    readonly include_values?: boolean | undefined;
    readonly include_author?: boolean | undefined;
    readonly conditions?: readonly string[] | undefined;
    readonly filters?: object | undefined;
    readonly filter_operator?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `customDirectoryRecords.getListOfRecords`. */
export interface CustomDirectoryRecordsGetListOfRecordsEntry {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  display_value: unknown;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  values: unknown;
}

/** Answer of `customDirectoryRecords.getListOfRecords`. */
export type CustomDirectoryRecordsGetListOfRecordsAnswer = CustomDirectoryRecordsGetListOfRecordsEntry[];

/** Arguments of `customDirectoryRecords.getRecord`. */
export interface CustomDirectoryRecordsGetRecordArguments {
  readonly path: {
    readonly directory_id: string;
    readonly record_id: string;
  };
  readonly query?: {
    readonly profile?: string | undefined;
  } | undefined;
}

/** Answer of `customDirectoryRecords.getRecord`. */
export interface CustomDirectoryRecordsGetRecordAnswer {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  display_value: unknown;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  updater: unknown;
  values: unknown;
}

/** Arguments of `customDirectoryRecords.updateRecord`. */
export interface CustomDirectoryRecordsUpdateRecordArguments {
  readonly path: {
    readonly directory_id: string;
    readonly record_id: string;
  };
  readonly query?: {
    readonly response_profile?: string | undefined;
  } | undefined;
  readonly body?: {
    readonly condition?: 'active' | 'inactive' | 'removed' | undefined;
    readonly values?: object | undefined;
  } | undefined;
}

/** Answer of `customDirectoryRecords.updateRecord`. */
export interface CustomDirectoryRecordsUpdateRecordAnswer {
  /** Inferred from `path.record_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  display_value: unknown;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  updater_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  updater: unknown;
  values: unknown;
}

/** Operations of `client.customDirectoryRecords`. */
export interface CustomDirectoryRecordsOperations {
  /**
   * Adds a record; `response_profile` says how much of it comes back.
   *
   * `POST /company/custom-directories/{directory_id}/records`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `directory_id`; `query`: `response_profile`; `body`: `values` (required)
   */
  readonly createRecord: Call<CustomDirectoryRecordsCreateRecordArguments, CustomDirectoryRecordsCreateRecordAnswer>;

  /**
   * Removes a record.
   *
   * `DELETE /company/custom-directories/{directory_id}/records/{record_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `record_id`
   */
  readonly deleteRecord: Call<CustomDirectoryRecordsDeleteRecordArguments, CustomDirectoryRecordsDeleteRecordAnswer | undefined>;

  /**
   * The cards that name a record.
   *
   * `GET /company/custom-directories/{directory_id}/records/{record_id}/cards`
   *
   * The service flags it as beta.
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `directory_id`, `record_id`; `query`: `limit`, `offset`, `filter`
   */
  readonly getCardsLinkedToRecord: ListCall<CustomDirectoryRecordsGetCardsLinkedToRecordArguments, CustomDirectoryRecordsGetCardsLinkedToRecordAnswer>;

  /**
   * The records of a directory. `filters` travels as JSON.
   *
   * `GET /company/custom-directories/{directory_id}/records`
   *
   * The service flags it as beta.
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `directory_id`; `query`: `limit`, `offset`, `query`, `profile`,
   * `include_values`, `include_author`, `conditions`, `filters`, `filter_operator`
   */
  readonly getListOfRecords: ListCall<CustomDirectoryRecordsGetListOfRecordsArguments, CustomDirectoryRecordsGetListOfRecordsAnswer>;

  /**
   * One record; `profile` says how much of it.
   *
   * `GET /company/custom-directories/{directory_id}/records/{record_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `record_id`; `query`: `profile`
   */
  readonly getRecord: Call<CustomDirectoryRecordsGetRecordArguments, CustomDirectoryRecordsGetRecordAnswer>;

  /**
   * Sets values or the state of a record.
   *
   * `PATCH /company/custom-directories/{directory_id}/records/{record_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `record_id`; `query`: `response_profile`; `body`:
   * `condition`, `values`
   */
  readonly updateRecord: Call<CustomDirectoryRecordsUpdateRecordArguments, CustomDirectoryRecordsUpdateRecordAnswer>;
}
