// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `customPropertyCollectiveVoteValues.createNewVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesCreateNewVoteValueArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
  };
  readonly body?: {
    readonly emoji_vote?: string | undefined;
    readonly number_vote?: number | undefined;
  } | undefined;
}

/** Answer of `customPropertyCollectiveVoteValues.createNewVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesCreateNewVoteValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.number_vote`. */
  number_vote: number | null;
  /** Inferred from `body.emoji_vote`. */
  emoji_vote: string | null;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
}

/** Arguments of `customPropertyCollectiveVoteValues.getListOfVoteValues`. */
export interface CustomPropertyCollectiveVoteValuesGetListOfVoteValuesArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
  };
}

/** Entry of the answer of `customPropertyCollectiveVoteValues.getListOfVoteValues`. */
export interface CustomPropertyCollectiveVoteValuesGetListOfVoteValuesEntry {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.number_vote`. */
  number_vote: number | null;
  /** Inferred from `body.emoji_vote`. */
  emoji_vote: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  author: unknown;
}

/** Answer of `customPropertyCollectiveVoteValues.getListOfVoteValues`. */
export type CustomPropertyCollectiveVoteValuesGetListOfVoteValuesAnswer = CustomPropertyCollectiveVoteValuesGetListOfVoteValuesEntry[];

/** Arguments of `customPropertyCollectiveVoteValues.removeVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesRemoveVoteValueArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly emoji_vote?: string | undefined;
  } | undefined;
}

/** Answer of `customPropertyCollectiveVoteValues.removeVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesRemoveVoteValueAnswer {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.number_vote`. */
  number_vote: number | null;
  /** Inferred from `body.emoji_vote`. */
  emoji_vote: string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
}

/** Arguments of `customPropertyCollectiveVoteValues.updateVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesUpdateVoteValueArguments {
  readonly path: {
    readonly card_id: number;
    readonly property_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly number_vote?: number | null | undefined;
  } | undefined;
}

/** Answer of `customPropertyCollectiveVoteValues.updateVoteValue`. */
export interface CustomPropertyCollectiveVoteValuesUpdateVoteValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.number_vote`. */
  number_vote: number | null;
  /** Inferred from `body.emoji_vote`. */
  emoji_vote: string | null;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `card_id`. */
  card_id: number;
}

/** Operations of `client.customPropertyCollectiveVoteValues`. */
export interface CustomPropertyCollectiveVoteValuesOperations {
  /**
   * Gives a vote.
   *
   * `POST /cards/{card_id}/custom-properties/{property_id}/collective-vote-values`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `card_id`, `property_id`; `body`: `emoji_vote`, `number_vote`
   */
  readonly createNewVoteValue: Call<CustomPropertyCollectiveVoteValuesCreateNewVoteValueArguments, CustomPropertyCollectiveVoteValuesCreateNewVoteValueAnswer>;

  /**
   * The votes of a card, in one answer.
   *
   * `GET /cards/{card_id}/custom-properties/{property_id}/collective-vote-values`
   *
   * @param args `path`: `card_id`, `property_id`
   */
  readonly getListOfVoteValues: Call<CustomPropertyCollectiveVoteValuesGetListOfVoteValuesArguments, CustomPropertyCollectiveVoteValuesGetListOfVoteValuesAnswer>;

  /**
   * Takes a vote back.
   *
   * `DELETE /cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}`
   *
   * @param args `path`: `card_id`, `property_id`, `id`; `body`: `emoji_vote`
   */
  readonly removeVoteValue: Call<CustomPropertyCollectiveVoteValuesRemoveVoteValueArguments, CustomPropertyCollectiveVoteValuesRemoveVoteValueAnswer | undefined>;

  /**
   * Changes the number of a vote.
   *
   * `PATCH /cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}`
   *
   * @param args `path`: `card_id`, `property_id`, `id`; `body`: `number_vote`
   */
  readonly updateVoteValue: Call<CustomPropertyCollectiveVoteValuesUpdateVoteValueArguments, CustomPropertyCollectiveVoteValuesUpdateVoteValueAnswer>;
}
