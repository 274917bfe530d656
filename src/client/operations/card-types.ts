// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `cardTypes.createNewCardType`. */
export interface CardTypesCreateNewCardTypeArguments {
  readonly body: {
    readonly letter: string;
    readonly name: string;
    readonly color: number;
    readonly properties?: object | undefined;
    readonly card_properties?: readonly unknown[] | undefined;
    readonly suggest_fields?: boolean | undefined;
  };
}

/** Answer of `cardTypes.createNewCardType`. */
export interface CardTypesCreateNewCardTypeAnswer {
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.letter`. */
  letter: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  description_template: unknown;
  archived: unknown;
  properties: unknown;
  card_properties: unknown;
  /** Inferred from `body.suggest_fields`. */
  suggest_fields: boolean | null;
}

/** Arguments of `cardTypes.getCardType`. */
export interface CardTypesGetCardTypeArguments {
  readonly path: {
    readonly id: number;
  };
}

/** Answer of `cardTypes.getCardType`. */
export interface CardTypesGetCardTypeAnswer {
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.letter`. */
  letter: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  description_template: unknown;
  archived: unknown;
  properties: unknown;
  card_properties: unknown;
  /** Inferred from `body.suggest_fields`. */
  suggest_fields: boolean | null;
}

/** Arguments of `cardTypes.getListOfCardTypes`. */
export interface CardTypesGetListOfCardTypesArguments {
  readonly query?: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `cardTypes.getListOfCardTypes`. */
export interface CardTypesGetListOfCardTypesEntry {
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.letter`. */
  letter: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  description_template: unknown;
  archived: unknown;
  properties: unknown;
  card_properties: unknown;
  /** Inferred from `body.suggest_fields`. */
  suggest_fields: boolean | null;
}

/** Answer of `cardTypes.getListOfCardTypes`. */
export type CardTypesGetListOfCardTypesAnswer = CardTypesGetListOfCardTypesEntry[];

/** Arguments of `cardTypes.removeCardType`. */
export interface CardTypesRemoveCardTypeArguments {
  readonly path: {
    readonly id: number;
  };
  readonly body: {
    readonly replace_type_id: number;
  };
}

/** Answer of `cardTypes.removeCardType`. */
export interface CardTypesRemoveCardTypeAnswer {
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.letter`. */
  letter: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  description_template: unknown;
  archived: unknown;
  properties: unknown;
  card_properties: unknown;
  /** Inferred from `body.suggest_fields`. */
  suggest_fields: boolean | null;
}

/** Arguments of `cardTypes.updateCardType`. */
export interface CardTypesUpdateCardTypeArguments {
  readonly path: {
    readonly id: number;
  };
  readonly body?: {
    readonly letter?: string | undefined;
    readonly name?: string | undefined;
    readonly color?: number | undefined;
    readonly properties?: object | undefined;
    readonly card_properties?: readonly unknown[] | undefined;
    readonly suggest_fields?: boolean | undefined;
  } | undefined;
}

/** Answer of `cardTypes.updateCardType`. */
export interface CardTypesUpdateCardTypeAnswer {
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.letter`. */
  letter: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  description_template: unknown;
  archived: unknown;
  properties: unknown;
  card_properties: unknown;
  /** Inferred from `body.suggest_fields`. */
  suggest_fields: boolean | null;
}

/** Operations of `client.cardTypes`. */
export interface CardTypesOperations {
  /**
   * Creates a card type.
   *
   * `POST /card-types`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `letter` (required), `name` (required), `color` (required), `properties`,
   * `card_properties`, `suggest_fields`
   */
  readonly createNewCardType: Call<CardTypesCreateNewCardTypeArguments, CardTypesCreateNewCardTypeAnswer>;

  /**
   * One card type.
   *
   * `GET /card-types/{id}`
   *
   * @param args `path`: `id`
   */
  readonly getCardType: Call<CardTypesGetCardTypeArguments, CardTypesGetCardTypeAnswer>;

  /**
   * The card types of the company.
   *
   * `GET /card-types`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `limit`, `offset`
   */
  readonly getListOfCardTypes: ListCall<CardTypesGetListOfCardTypesArguments, CardTypesGetListOfCardTypesAnswer>;

  /**
   * Deletes a card type; its cards become cards of another.
   *
   * `DELETE /card-types/{id}`
   *
   * @param args `path`: `id`; `body`: `replace_type_id` (required)
   */
  readonly removeCardType: Call<CardTypesRemoveCardTypeArguments, CardTypesRemoveCardTypeAnswer | undefined>;

  /**
   * Changes a card type.
   *
   * `PATCH /card-types/{id}`
   *
   * @param args `path`: `id`; `body`: `letter`, `name`, `color`, `properties`, `card_properties`,
   * `suggest_fields`
   */
  readonly updateCardType: Call<CardTypesUpdateCardTypeArguments, CardTypesUpdateCardTypeAnswer>;
}
