// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardBlockerCategories.addBlockerCategory`. */
export interface CardBlockerCategoriesAddBlockerCategoryArguments {
  readonly path: {
    readonly blocker_id: number;
  };
  readonly body: {
    readonly name: string;
  };
}

/** Answer of `cardBlockerCategories.addBlockerCategory`. */
export interface CardBlockerCategoriesAddBlockerCategoryAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.name`. */
  name: string | null;
  color: unknown;
}

/** Arguments of `cardBlockerCategories.removeCategory`. */
export interface CardBlockerCategoriesRemoveCategoryArguments {
  readonly path: {
    readonly blocker_id: number;
    readonly category_uuid: string;
  };
}

/** Answer of `cardBlockerCategories.removeCategory`. */
export interface CardBlockerCategoriesRemoveCategoryAnswer {
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `cardBlockerCategories.retrieveListOfCategories`. */
export type CardBlockerCategoriesRetrieveListOfCategoriesArguments = Record<never, never>;

/** Entry of the answer of `cardBlockerCategories.retrieveListOfCategories`. */
export interface CardBlockerCategoriesRetrieveListOfCategoriesEntry {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.name`. */
  name: string | null;
  color: unknown;
}

/** Answer of `cardBlockerCategories.retrieveListOfCategories`. */
export type CardBlockerCategoriesRetrieveListOfCategoriesAnswer = CardBlockerCategoriesRetrieveListOfCategoriesEntry[];

/** Operations of `client.cardBlockerCategories`. */
export interface CardBlockerCategoriesOperations {
  /**
   * Puts a blocker into a category, by its name.
   *
   * `POST /blockers/{blocker_id}/categories`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `blocker_id`; `body`: `name` (required)
   */
  readonly addBlockerCategory: Call<CardBlockerCategoriesAddBlockerCategoryArguments, CardBlockerCategoriesAddBlockerCategoryAnswer>;

  /**
   * Takes a blocker out of a category.
   *
   * `DELETE /blockers/{blocker_id}/categories/{category_uuid}`
   *
   * @param args `path`: `blocker_id`, `category_uuid`
   */
  readonly removeCategory: Call<CardBlockerCategoriesRemoveCategoryArguments, CardBlockerCategoriesRemoveCategoryAnswer | undefined>;

  /**
   * The categories of all blockers.
   *
   * `GET /categories`
   */
  readonly retrieveListOfCategories: Call<CardBlockerCategoriesRetrieveListOfCategoriesArguments, CardBlockerCategoriesRetrieveListOfCategoriesAnswer>;
}
