// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `customPropertyTreeEntities.addTreeEntityToCustomProperty`. */
export interface CustomPropertyTreeEntitiesAddTreeEntityToCustomPropertyArguments {
  readonly path: {
    readonly property_id: number;
  };
  readonly body: {
    readonly tree_entity_uid: string;
  };
}

/** Answer of `customPropertyTreeEntities.addTreeEntityToCustomProperty`. */
export interface CustomPropertyTreeEntitiesAddTreeEntityToCustomPropertyAnswer {
  /** Inferred from its name. */
  id: number | string;
}

/** Arguments of `customPropertyTreeEntities.deleteTreeEntityFromCustomProperty`. */
export interface CustomPropertyTreeEntitiesDeleteTreeEntityFromCustomPropertyArguments {
  readonly path: {
    readonly property_id: number;
    readonly uid: string;
  };
}

/** Arguments of `customPropertyTreeEntities.getListOfCustomPropertyTreeEntities`. */
export interface CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesArguments {
  readonly path: {
    readonly property_id: number;
  };
}

/** Entry of the answer of `customPropertyTreeEntities.getListOfCustomPropertyTreeEntities`. */
export interface CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesEntry {
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

/** Answer of `customPropertyTreeEntities.getListOfCustomPropertyTreeEntities`. */
export type CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesAnswer = CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesEntry[];

/** Operations of `client.customPropertyTreeEntities`. */
export interface CustomPropertyTreeEntitiesOperations {
  /**
   * Allows a property in an entity of the tree.
   *
   * `POST /company/custom-properties/{property_id}/tree-entities`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `property_id`; `body`: `tree_entity_uid` (required)
   */
  readonly addTreeEntityToCustomProperty: Call<CustomPropertyTreeEntitiesAddTreeEntityToCustomPropertyArguments, CustomPropertyTreeEntitiesAddTreeEntityToCustomPropertyAnswer>;

  /**
   * Forbids a property in an entity of the tree.
   *
   * `DELETE /company/custom-properties/{property_id}/tree-entities/{uid}`
   *
   * @param args `path`: `property_id`, `uid`
   */
  readonly deleteTreeEntityFromCustomProperty: Call<CustomPropertyTreeEntitiesDeleteTreeEntityFromCustomPropertyArguments, undefined>;

  /**
   * The entities in which a property is allowed, in one answer.
   *
   * `GET /company/custom-properties/{property_id}/tree-entities`
   *
   * @param args `path`: `property_id`
   */
  readonly getListOfCustomPropertyTreeEntities: Call<CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesArguments, CustomPropertyTreeEntitiesGetListOfCustomPropertyTreeEntitiesAnswer>;
}
