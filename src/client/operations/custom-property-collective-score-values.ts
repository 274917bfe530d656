// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `customPropertyCollectiveScoreValues.createNewScoreValue`. */
export interface CustomPropertyCollectiveScoreValuesCreateNewScoreValueArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
  };
  readonly body: {
    readonly value: string;
  };
}

/** Answer of `customPropertyCollectiveScoreValues.createNewScoreValue`. */
export interface CustomPropertyCollectiveScoreValuesCreateNewScoreValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
}

/** Arguments of `customPropertyCollectiveScoreValues.getListOfScoreValues`. */
export interface CustomPropertyCollectiveScoreValuesGetListOfScoreValuesArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
  };
}

/** Entry of the answer of `customPropertyCollectiveScoreValues.getListOfScoreValues`. */
export interface CustomPropertyCollectiveScoreValuesGetListOfScoreValuesEntry {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  author: unknown;
}

/** Answer of `customPropertyCollectiveScoreValues.getListOfScoreValues`. */
export type CustomPropertyCollectiveScoreValuesGetListOfScoreValuesAnswer = CustomPropertyCollectiveScoreValuesGetListOfScoreValuesEntry[];

/** Arguments of `customPropertyCollectiveScoreValues.updateScoreValue`. */
export interface CustomPropertyCollectiveScoreValuesUpdateScoreValueArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly value?: string | null | undefined;
  } | undefined;
}

/** Answer of `customPropertyCollectiveScoreValues.updateScoreValue`. */
export interface CustomPropertyCollectiveScoreValuesUpdateScoreValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
}

/** Operations of `client.customPropertyCollectiveScoreValues`. */
export interface CustomPropertyCollectiveScoreValuesOperations {
  /**
   * Gives a score.
   *
   * `POST /cards/{card_id}/custom-properties/{property_id}/collective-score-values`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`, `property_id`; `body`: `value` (required)
   */
  readonly createNewScoreValue: Call<CustomPropertyCollectiveScoreValuesCreateNewScoreValueArguments, CustomPropertyCollectiveScoreValuesCreateNewScoreValueAnswer>;

  /**
   * The scores of a card, in one answer.
   *
   * `GET /cards/{card_id}/custom-properties/{property_id}/collective-score-values`
   *
   * @param args `path`: `card_id`, `property_id`
   */
  readonly getListOfScoreValues: Call<CustomPropertyCollectiveScoreValuesGetListOfScoreValuesArguments, CustomPropertyCollectiveScoreValuesGetListOfScoreValuesAnswer>;

  /**
   * Changes a score.
   *
   * `PATCH /cards/{card_id}/custom-properties/{property_id}/collective-score-values/{id}`
   *
   * @param args `path`: `card_id`, `property_id`, `id`; `body`: `value`
   */
  readonly updateScoreValue: Call<CustomPropertyCollectiveScoreValuesUpdateScoreValueArguments, CustomPropertyCollectiveScoreValuesUpdateScoreValueAnswer>;
}
