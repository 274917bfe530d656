// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `customDirectories.createCustomDirectory`. */
export interface CustomDirectoriesCreateCustomDirectoryArguments {
  readonly body: {
    readonly name: string;
    readonly description?: null | string | undefined;
    readonly multi_select?: boolean | undefined;
    readonly allow_editing?: boolean | undefined;
    readonly display_field_index?: number | undefined;
    readonly fields?: readonly object[] | undefined;
  };
}

/** Answer of `customDirectories.createCustomDirectory`. */
export interface CustomDirectoriesCreateCustomDirectoryAnswer {
  /** Inferred from `path.directory_id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.description`. */
  description: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  fields: unknown;
}

/** Arguments of `customDirectories.deleteCustomDirectory`. */
export interface CustomDirectoriesDeleteCustomDirectoryArguments {
  readonly path: {
    readonly directory_id: string;
  };
}

/** Answer of `customDirectories.deleteCustomDirectory`. */
export interface CustomDirectoriesDeleteCustomDirectoryAnswer {
  /** Inferred from `path.directory_id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `customDirectories.getCustomDirectory`. */
export interface CustomDirectoriesGetCustomDirectoryArguments {
  readonly path: {
    readonly directory_id: string;
  };
}

/** Answer of `customDirectories.getCustomDirectory`. */
export interface CustomDirectoriesGetCustomDirectoryAnswer {
  /** Inferred from `path.directory_id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.description`. */
  description: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  fields: unknown;
}

/** Arguments of `customDirectories.getListOfCustomDirectories`. */
export interface CustomDirectoriesGetListOfCustomDirectoriesArguments {
  readonly query?: {
    readonly include_fields?: boolean | undefined;
    readonly include_author?: boolean | undefined;
    readonly include_records_count?: boolean | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly query?: string | undefined;
    readonly conditions?: readonly string[] | undefined;
  } | undefined;
}

/** Entry of the answer of `customDirectories.getListOfCustomDirectories`. */
export interface CustomDirectoriesGetListOfCustomDirectoriesEntry {
  /** Inferred from `path.directory_id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.description`. */
  description: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  settings: unknown;
  records_count: unknown;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Answer of `customDirectories.getListOfCustomDirectories`. */
export type CustomDirectoriesGetListOfCustomDirectoriesAnswer = CustomDirectoriesGetListOfCustomDirectoriesEntry[];

/** Arguments of `customDirectories.updateCustomDirectory`. */
export interface CustomDirectoriesUpdateCustomDirectoryArguments {
  readonly path: {
    readonly directory_id: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly description?: null | string | undefined;
    readonly condition?: 'active' | 'inactive' | 'removed' | undefined;
    readonly multi_select?: boolean | undefined;
    readonly allow_editing?: boolean | undefined;
    readonly fields?: readonly object[] | undefined;
  } | undefined;
}

/** Answer of `customDirectories.updateCustomDirectory`. */
export interface CustomDirectoriesUpdateCustomDirectoryAnswer {
  /** Inferred from `path.directory_id`. */
  id: string;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.description`. */
  description: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  fields: unknown;
}

/** Operations of `client.customDirectories`. */
export interface CustomDirectoriesOperations {
  /**
   * Creates a directory, with its fields where they are given.
   *
   * `POST /company/custom-directories`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `name` (required), `description`, `multi_select`, `allow_editing`,
   * `display_field_index`, `fields`
   */
  readonly createCustomDirectory: Call<CustomDirectoriesCreateCustomDirectoryArguments, CustomDirectoriesCreateCustomDirectoryAnswer>;

  /**
   * Marks a directory as removed.
   *
   * `DELETE /company/custom-directories/{directory_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`
   */
  readonly deleteCustomDirectory: Call<CustomDirectoriesDeleteCustomDirectoryArguments, CustomDirectoriesDeleteCustomDirectoryAnswer | undefined>;

  /**
   * One directory with its fields.
   *
   * `GET /company/custom-directories/{directory_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`
   */
  readonly getCustomDirectory: Call<CustomDirectoriesGetCustomDirectoryArguments, CustomDirectoriesGetCustomDirectoryAnswer>;

  /**
   * The directories of the company.
   *
   * `GET /company/custom-directories`
   *
   * The service flags it as beta.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `include_fields`, `include_author`, `include_records_count`, `limit`,
   * `offset`, `query`, `conditions`
   */
  readonly getListOfCustomDirectories: ListCall<CustomDirectoriesGetListOfCustomDirectoriesArguments, CustomDirectoriesGetListOfCustomDirectoriesAnswer>;

  /**
   * Changes a directory. Unsafe to repeat: `fields` is the whole list, and what is new in it
   * could be made twice.
   *
   * `PATCH /company/custom-directories/{directory_id}`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `directory_id`; `body`: `name`, `description`, `condition`,
   * `multi_select`, `allow_editing`, `fields`
   */
  readonly updateCustomDirectory: Call<CustomDirectoriesUpdateCustomDirectoryArguments, CustomDirectoriesUpdateCustomDirectoryAnswer>;
}
