// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `tags.addTag`. */
export interface TagsAddTagArguments {
  readonly body: {
    readonly name: string;
  };
}

/** Answer of `tags.addTag`. */
export interface TagsAddTagAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `tag_id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  color: unknown;
  archived: unknown;
}

/** Arguments of `tags.retrieveListOfTags`. */
export interface TagsRetrieveListOfTagsArguments {
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly space_id?: number | undefined;
    readonly ids?: string | number | readonly number[] | readonly string[] | undefined;
    readonly query?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `tags.retrieveListOfTags`. */
export interface TagsRetrieveListOfTagsEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from the parameters called `tag_id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  color: unknown;
  archived: unknown;
}

/** Answer of `tags.retrieveListOfTags`. */
export type TagsRetrieveListOfTagsAnswer = TagsRetrieveListOfTagsEntry[];

/** Operations of `client.tags`. */
export interface TagsOperations {
  /**
   * Creates a tag.
   *
   * `POST /tags`
   *
   * Known from the running service only, not from its documents.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `name` (required)
   */
  readonly addTag: Call<TagsAddTagArguments, TagsAddTagAnswer>;

  /**
   * The tags of the company or of a space.
   *
   * `GET /tags`
   *
   * Known from the running service only, not from its documents.
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `limit`, `offset`, `space_id`, `ids`, `query`
   */
  readonly retrieveListOfTags: ListCall<TagsRetrieveListOfTagsArguments, TagsRetrieveListOfTagsAnswer>;
}
