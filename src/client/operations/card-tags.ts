// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardTags.addTag`. */
export interface CardTagsAddTagArguments {
  readonly path: {
    readonly card_id: number;
  };
  readonly body: {
    readonly name: string;
  };
}

/** Answer of `cardTags.addTag`. */
export interface CardTagsAddTagAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from `path.tag_id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  color: unknown;
}

/** Arguments of `cardTags.removeTagFromCard`. */
export interface CardTagsRemoveTagFromCardArguments {
  readonly path: {
    readonly card_id: number;
    readonly tag_id: number;
  };
}

/** Answer of `cardTags.removeTagFromCard`. */
export interface CardTagsRemoveTagFromCardAnswer {
  /** Inferred from `path.tag_id`. */
  id: number;
}

/** Arguments of `cardTags.rertrieveListOfTags`. */
export interface CardTagsRertrieveListOfTagsArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Entry of the answer of `cardTags.rertrieveListOfTags`. */
export interface CardTagsRertrieveListOfTagsEntry {
  /** Inferred from `path.tag_id`. */
  id: number;
  /** Inferred from `body.name`. */
  name: string | null;
  color: unknown;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `tag_id`. */
  tag_id: number | null;
}

/** Answer of `cardTags.rertrieveListOfTags`. */
export type CardTagsRertrieveListOfTagsAnswer = CardTagsRertrieveListOfTagsEntry[];

/** Operations of `client.cardTags`. */
export interface CardTagsOperations {
  /**
   * Puts a tag on a card by its name.
   *
   * `POST /cards/{card_id}/tags`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`; `body`: `name` (required)
   */
  readonly addTag: Call<CardTagsAddTagArguments, CardTagsAddTagAnswer>;

  /**
   * Takes a tag off a card.
   *
   * `DELETE /cards/{card_id}/tags/{tag_id}`
   *
   * @param args `path`: `card_id`, `tag_id`
   */
  readonly removeTagFromCard: Call<CardTagsRemoveTagFromCardArguments, CardTagsRemoveTagFromCardAnswer | undefined>;

  /**
   * The tags of a card, in one answer. The documents spell the name so.
   *
   * `GET /cards/{card_id}/tags`
   *
   * @param args `path`: `card_id`
   */
  readonly rertrieveListOfTags: Call<CardTagsRertrieveListOfTagsArguments, CardTagsRertrieveListOfTagsAnswer>;
}
