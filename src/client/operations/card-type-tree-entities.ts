// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardTypeTreeEntities.addTreeEntityToCardType`. */
export interface CardTypeTreeEntitiesAddTreeEntityToCardTypeArguments {
  readonly path: {
    readonly type_id: number;
  };
  readonly body: {
    readonly tree_entity_uid: string;
  };
}

/** Answer of `cardTypeTreeEntities.addTreeEntityToCardType`. */
export interface CardTypeTreeEntitiesAddTreeEntityToCardTypeAnswer {
  /** Inferred from its name. */
  id: number | string;
}

/** Arguments of `cardTypeTreeEntities.deleteTreeEntityFromCardType`. */
export interface CardTypeTreeEntitiesDeleteTreeEntityFromCardTypeArguments {
  readonly path: {
    readonly type_id: number;
    readonly uid: string;
  };
}

/** Arguments of `cardTypeTreeEntities.getListOfTypeTreeEntities`. */
export interface CardTypeTreeEntitiesGetListOfTypeTreeEntitiesArguments {
  readonly path: {
    readonly type_id: number;
  };
}

/** Entry of the answer of `cardTypeTreeEntities.getListOfTypeTreeEntities`. */
export interface CardTypeTreeEntitiesGetListOfTypeTreeEntitiesEntry {
  /** Inferred from its name. */
  uid: string;
  title: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  sort_order: unknown;
  path: unknown;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  entity_type: unknown;
  access: unknown;
  archived: unknown;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  protected: unknown;
}

/** Answer of `cardTypeTreeEntities.getListOfTypeTreeEntities`. */
export type CardTypeTreeEntitiesGetListOfTypeTreeEntitiesAnswer = CardTypeTreeEntitiesGetListOfTypeTreeEntitiesEntry[];

/** Operations of `client.cardTypeTreeEntities`. */
export interface CardTypeTreeEntitiesOperations {
  /**
   * Allows a card type in an entity of the tree.
   *
   * `POST /card-types/{type_id}/tree-entities`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `type_id`; `body`: `tree_entity_uid` (required)
   */
  readonly addTreeEntityToCardType: Call<CardTypeTreeEntitiesAddTreeEntityToCardTypeArguments, CardTypeTreeEntitiesAddTreeEntityToCardTypeAnswer>;

  /**
   * Forbids a card type in an entity of the tree.
   *
   * `DELETE /card-types/{type_id}/tree-entities/{uid}`
   *
   * @param args `path`: `type_id`, `uid`
   */
  readonly deleteTreeEntityFromCardType: Call<CardTypeTreeEntitiesDeleteTreeEntityFromCardTypeArguments, undefined>;

  /**
   * The entities in which a card type is allowed, in one answer.
   *
   * `GET /card-types/{type_id}/tree-entities`
   *
   * @param args `path`: `type_id`
   */
  readonly getListOfTypeTreeEntities: Call<CardTypeTreeEntitiesGetListOfTypeTreeEntitiesArguments, CardTypeTreeEntitiesGetListOfTypeTreeEntitiesAnswer>;
}
